-- On how many nodes the builds of a team may run: [{tag, nodeSelector, nodes}], first the entry without a tag.
ALTER TABLE teams ADD COLUMN workers jsonb;
