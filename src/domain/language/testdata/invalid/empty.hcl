# Applied, this would remove every job.
