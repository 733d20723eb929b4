-- dealt_with of a get is the version up to which nothing triggers; settled is how far every version is known to have had its build.
ALTER TABLE job_gets ADD COLUMN every boolean NOT NULL DEFAULT false;
ALTER TABLE job_gets ADD COLUMN settled bigint NOT NULL DEFAULT 0;
UPDATE job_gets SET every = trigger AND passed = '{}', settled = dealt_with;
