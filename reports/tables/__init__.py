"""The tables: results, leaderboard, statistics, taxonomy."""
