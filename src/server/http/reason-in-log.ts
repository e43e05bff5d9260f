import { nameInLog } from '../model/log.js';
import type { ServiceError } from '../model/service-error.js';

/** The largest number of fields in a log line. */
const fieldsNamed = 3;

/** Describes why a request was rejected. Shows names from the request, never values. */
export function reasonInLog({ code, message, details }: ServiceError): string {
  if (details.length === 0) return `${code}: ${withoutValues(message)}`;
  const named = details
    .slice(0, fieldsNamed)
    .map(({ field, message: problem }) => `${fieldInLog(field) || 'the body'} ${withoutValues(problem)}`);
  const more = details.length > fieldsNamed ? `; and ${details.length - fieldsNamed} more` : '';
  return `${code}: ${named.join('; ')}${more}`;
}

/** Shows the parts of a field's path that look like names. Any other part may be a misplaced value. */
function fieldInLog(field: string): string {
  return field.replace(/[^.[\]]+/g, (part) =>
    /^(?:[a-z]+(?:[-_][a-z]+)*|\d{1,4})$/i.test(part) ? part : '***',
  );
}

/** Masks quoted text, which comes from the request, unless it is a plain name. */
function withoutValues(text: string): string {
  return text.replace(/"([^"]*)"/g, (_, quoted: string) => `"${nameInLog(quoted)}"`);
}
