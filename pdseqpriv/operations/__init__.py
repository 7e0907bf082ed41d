"""Operations, one paper each: summarise, plan, apply."""
