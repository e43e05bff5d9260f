import { nameInLog } from '../model/log.js';
import type { ServiceError } from '../model/service-error.js';

/** How many fields a line names. */
const fieldsNamed = 3;

/** Why a request was refused, with nothing in it of what the request held but names. */
export function reasonInLog({ code, message, details }: ServiceError): string {
  if (details.length === 0) return `${code}: ${withoutValues(message)}`;
  const named = details
    .slice(0, fieldsNamed)
    .map(({ field, message: problem }) => `${fieldInLog(field) || 'the whole'} ${withoutValues(problem)}`);
  const more = details.length > fieldsNamed ? `; and ${details.length - fieldsNamed} more` : '';
  return `${code}: ${named.join('; ')}${more}`;
}

/** A path of a field, of which the parts that look like names are shown: any other may be a value in the wrong place. */
function fieldInLog(field: string): string {
  return field.replace(/[^.[\]]+/g, (part) =>
    /^(?:[a-z]+(?:[-_][a-z]+)*|\d{1,4})$/i.test(part) ? part : '***',
  );
}

/** What stands in quotes was given by somebody. */
function withoutValues(text: string): string {
  return text.replace(/"([^"]*)"/g, (_, quoted: string) => `"${nameInLog(quoted)}"`);
}
