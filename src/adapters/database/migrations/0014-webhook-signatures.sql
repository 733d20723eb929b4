-- Webhooks of these resources are taken only with a signature.
ALTER TABLE resources ADD COLUMN webhook_signed boolean NOT NULL DEFAULT false;
