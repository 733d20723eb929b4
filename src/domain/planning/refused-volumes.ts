import { onOneLine, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { VolumeUse } from '#domain/pipeline/volume-paths.ts';
import { findVolume, type VolumeRules } from './mount-volumes.ts';

/**
 * Paths of a definition that are on no volume of the Team, or that a put would write to on a read-only
 * volume. The range of each refusal is that of the path in the text.
 */
export function refusedVolumes(uses: readonly VolumeUse[], rules: VolumeRules): Diagnostic[] {
  return uses.flatMap(({ resource, path, putBy, place }) => {
    const volume = findVolume({ resource, path, writes: putBy !== undefined }, rules);
    if (!('reason' in volume)) return [];
    const suffix = putBy === undefined ? '' : ` (job ${putBy})`;
    return [{ ...place, message: onOneLine(`${volume.message.replace(/\.$/, '')}${suffix}`) }];
  });
}
