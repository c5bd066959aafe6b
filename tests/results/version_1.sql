BEGIN TRANSACTION;
CREATE TABLE pdf_epoch (
	trial_id INTEGER NOT NULL,
	epoch INTEGER NOT NULL,
	replicate INTEGER NOT NULL,
	train_loss DOUBLE,
	valid DOUBLE,
	test DOUBLE,
	learning_rate DOUBLE,
	seconds DOUBLE,
	peak_mb DOUBLE,
	not_finite TEXT NOT NULL,
	PRIMARY KEY (trial_id, epoch, replicate),
	FOREIGN KEY(trial_id) REFERENCES pdf_trial (id) ON DELETE CASCADE
);
INSERT INTO "pdf_epoch" VALUES(1,1,0,1.0,0.5,NULL,0.001,0.5,100.0,'');
INSERT INTO "pdf_epoch" VALUES(1,1,1,1.0,0.4,NULL,0.001,0.5,100.0,'');
INSERT INTO "pdf_epoch" VALUES(1,2,0,0.5,0.3,NULL,0.001,0.5,100.0,'');
INSERT INTO "pdf_epoch" VALUES(1,2,1,0.5,NULL,NULL,0.001,0.5,100.0,'valid=nan');
CREATE TABLE pdf_replicate (
	trial_id INTEGER NOT NULL,
	replicate INTEGER NOT NULL,
	seed BIGINT NOT NULL,
	fold INTEGER,
	PRIMARY KEY (trial_id, replicate),
	FOREIGN KEY(trial_id) REFERENCES pdf_trial (id) ON DELETE CASCADE
);
INSERT INTO "pdf_replicate" VALUES(1,0,0,NULL);
CREATE TABLE pdf_schema (
	version INTEGER NOT NULL
);
INSERT INTO "pdf_schema" VALUES(1);
CREATE TABLE pdf_sweep (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	space TEXT NOT NULL,
	space_definition JSON NOT NULL,
	dataset TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	split_hash TEXT NOT NULL,
	metric TEXT NOT NULL,
	protocol TEXT NOT NULL,
	method TEXT NOT NULL,
	seed BIGINT NOT NULL,
	trials INTEGER NOT NULL,
	epochs INTEGER NOT NULL,
	options JSON NOT NULL,
	versions JSON NOT NULL,
	"commit" TEXT NOT NULL,
	command TEXT NOT NULL,
	created TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (name)
);
INSERT INTO "pdf_sweep" VALUES(1,'night','freesolv','{"model": {"hidden": {"choice": [32, 64]}}, "limit": null}','freesolv','ffffffffffffffff','5555555555555555','rmse','split','tpe+asha',7,3,3,'{"concurrent": 2, "unit": "kcal/mol"}','{"pdf_search": "0.1.0", "torch": "2.13.0"}','abc1234','pdf-search sweep freesolv --name night','2025-03-01T20:00:00+00:00');
CREATE TABLE pdf_trial (
	id INTEGER NOT NULL,
	sweep_id INTEGER NOT NULL,
	phase TEXT NOT NULL,
	number INTEGER NOT NULL,
	config JSON NOT NULL,
	config_hash TEXT NOT NULL,
	state TEXT NOT NULL,
	origin TEXT NOT NULL,
	params JSON NOT NULL,
	parameters BIGINT,
	device TEXT NOT NULL,
	started TEXT NOT NULL,
	ended TEXT NOT NULL,
	seconds DOUBLE,
	peak_mb DOUBLE,
	epochs_done INTEGER NOT NULL,
	checkpoint TEXT NOT NULL,
	message TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE (sweep_id, phase, number),
	FOREIGN KEY(sweep_id) REFERENCES pdf_sweep (id) ON DELETE CASCADE
);
INSERT INTO "pdf_trial" VALUES(1,1,'search',0,'{"data": {"name": "freesolv"}, "basis": {"eps": [-0.1, -0.2], "k": 3}, "training": {"epochs": 3, "schedule": {"kind": "constant"}}}','search-0','COMPLETE','sampled','{"model.hidden": 32}',48121,'cpu','2025-03-01T20:01:00+00:00','2025-03-01T20:02:00+00:00',60.0,512.0,3,'','');
COMMIT;
