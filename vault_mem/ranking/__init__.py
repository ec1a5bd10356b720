"""Ranking: how well each memory answers a query, stage by stage."""
