"""How messages name the settings of one's own data: by option, and by key in a space."""

SMILES = "--smiles or data.smiles"
TARGETS = "--target or data.targets"
SPLIT = "--split or data.split_column"
AS_NUMBERS = "--task regression (data.task=regression)"
AS_CLASSES = "--task classification (data.task=multiclass)"
