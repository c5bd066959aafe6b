"""The portfolio: configurations that did well on several data sets, fitted into any space."""
