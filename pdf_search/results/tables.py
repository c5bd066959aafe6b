"""Our tables. Their names begin with ``pdf_``, as Optuna's tables may be in the same database."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()

schema = sa.Table(
    "pdf_schema",
    metadata,
    sa.Column("version", sa.Integer, nullable=False),
)

sweep = sa.Table(
    "pdf_sweep",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("space", sa.Text, nullable=False),
    sa.Column("space_definition", sa.JSON, nullable=False),
    sa.Column("dataset", sa.Text, nullable=False),
    sa.Column("fingerprint", sa.Text, nullable=False),
    sa.Column("split_hash", sa.Text, nullable=False),
    sa.Column("metric", sa.Text, nullable=False),
    sa.Column("protocol", sa.Text, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("trials", sa.Integer, nullable=False),
    sa.Column("epochs", sa.Integer, nullable=False),
    sa.Column("options", sa.JSON, nullable=False),
    sa.Column("versions", sa.JSON, nullable=False),
    sa.Column("commit", sa.Text, nullable=False),
    sa.Column("command", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
)

trial = sa.Table(
    "pdf_trial",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("sweep_id", sa.ForeignKey("pdf_sweep.id", ondelete="CASCADE"), nullable=False),
    sa.Column("phase", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("config", sa.JSON, nullable=False),
    sa.Column("config_hash", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("origin", sa.Text, nullable=False),
    sa.Column("params", sa.JSON, nullable=False),
    sa.Column("parameters", sa.BigInteger),
    sa.Column("device", sa.Text, nullable=False),
    sa.Column("started", sa.Text, nullable=False),
    sa.Column("ended", sa.Text, nullable=False),
    sa.Column("seconds", sa.Double),
    sa.Column("peak_mb", sa.Double),
    sa.Column("epochs_done", sa.Integer, nullable=False),
    sa.Column("checkpoint", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("by_target", sa.JSON(none_as_null=True)),
    sa.Column("importance", sa.JSON(none_as_null=True)),
    sa.Column("perturbations", sa.JSON(none_as_null=True)),
    sa.Column("retries", sa.Integer, nullable=False, server_default="0"),
    sa.UniqueConstraint("sweep_id", "phase", "number"),
)

replicate = sa.Table(
    "pdf_replicate",
    metadata,
    sa.Column("trial_id", sa.ForeignKey("pdf_trial.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("replicate", sa.Integer, primary_key=True),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("fold", sa.Integer),
)

# A value that is not finite is NULL in its column and named in not_finite, for example
# "valid=nan train_loss=inf". SQLite would store NaN as NULL, and in PostgreSQL one NaN would make
# an average NaN; this way both databases hold the same.
epoch = sa.Table(
    "pdf_epoch",
    metadata,
    sa.Column("trial_id", sa.ForeignKey("pdf_trial.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("epoch", sa.Integer, primary_key=True),
    sa.Column("replicate", sa.Integer, primary_key=True),
    sa.Column("train_loss", sa.Double),
    sa.Column("valid", sa.Double),
    sa.Column("test", sa.Double),
    sa.Column("learning_rate", sa.Double),
    sa.Column("seconds", sa.Double),
    sa.Column("peak_mb", sa.Double),
    sa.Column("part_seconds", sa.JSON),
    sa.Column("not_finite", sa.Text, nullable=False),
)
