"""Put compiled kernels into the wheel if PDSEQPRIV_COMPILE is 1, as ``make wheel`` has it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledKernels(BuildHookInterface[Any]):
    """Compile in a process of its own, and ship what it wrote. Without it the wheel fits every platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's)
        """Compile before files are collected."""
        if os.environ.get("PDSEQPRIV_COMPILE") != "1":
            return
        self._folder = tempfile.TemporaryDirectory()
        command = [sys.executable, "-m", "pdseqpriv.build_ahead", self._folder.name]
        subprocess.run(command, cwd=self.root, check=True)  # noqa: S603 (our own module)
        made = sorted(Path(self._folder.name).iterdir())
        build_data["force_include"] |= {str(path): f"pdseqpriv/{path.name}" for path in made}
        build_data["pure_python"], build_data["infer_tag"] = False, True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Remove what was compiled: it is in the wheel now."""
        if hasattr(self, "_folder"):
            self._folder.cleanup()
