import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { Range } from '#domain/language/syntax.ts';
import type { ServiceType } from './pipeline.ts';
import { isImage } from './read-command.ts';

/**
 * Fills in `$param_<name>`, `${param_<name>}` and `${param_<name>:-<default>}` in the image of a service. The
 * values are those of the service's block in the job. Nothing else is filled in, so the image is known before
 * the build starts.
 */
export function fillImage(image: string, params: Readonly<Record<string, string>>): string {
  const reference = /\$(?:param_(\w+)|\{param_(\w+?)(?::-([\w.-]*))?\})/g;
  return image.replaceAll(
    reference,
    (_written, bare: string | undefined, braced: string | undefined, fallback: string | undefined) => {
      const name = bare ?? braced ?? '';
      const value = Object.hasOwn(params, name) ? params[name] : undefined;
      return value === undefined || value === '' ? (fallback ?? '') : value;
    },
  );
}

/** Reports the images of the service that are not valid names with these parameters. */
export function checkServiceImages(
  { start, stop, ready }: ServiceType,
  params: Readonly<Record<string, string>>,
  range: Range,
  report: Report,
): void {
  for (const command of [start, stop, ready?.check]) {
    if (command?.runner !== 'docker') continue;
    const image = fillImage(command.image, params);
    if (!isImage(image))
      report(diagnose('invalid-image', range, `${JSON.stringify(image)} is not the name of an image`));
  }
}
