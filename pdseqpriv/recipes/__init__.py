"""Recipes: pipelines as YAML or TOML files that can be committed, with secrets kept elsewhere."""
