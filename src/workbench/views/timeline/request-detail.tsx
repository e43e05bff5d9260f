import type { Remedy } from '../../../server/index.js';
import { Bytes } from '../../elements/bytes.js';
import { Card } from '../../elements/card.js';
import { reasonIn } from '../../reading/describe-entry.js';
import type { EntryOf } from '../../surface/entry.js';
import { fieldsIn, parsed } from '../../surface/refused-error.js';
import { RemedyAction } from '../remedy-action.js';

/** A request with its response, and why it was refused. */
export function RequestDetail({
  entry,
  remedy,
}: {
  readonly entry: EntryOf<'request'>;
  readonly remedy: Remedy | undefined;
}) {
  const { method, path, body, status, responseBody: response, requestId, operation } = entry;
  const { details } = Object(Object(parsed(response ?? '')).error);
  const fields = fieldsIn(details);
  const isRefused = status === undefined || status >= 400;
  return (
    <>
      {isRefused && (
        <div class="why">
          <strong>
            {status === undefined ? 'A fault broke the connection.' : `The API responded with ${status}.`}
          </strong>
          {response !== undefined && <p>{reasonIn(response)}</p>}
          {fields.length > 0 && (
            <ul>
              {fields.map(({ field, message }) => (
                <li key={field}>
                  <code>{field}</code> {message}
                </li>
              ))}
            </ul>
          )}
          <RemedyAction remedy={remedy} />
        </div>
      )}
      <Card title="Request" aside={<small>{operation}</small>}>
        <pre>{`${method} ${path}\nX-Request-Id: ${requestId}`}</pre>
        {body !== undefined && <Bytes text={body} name="the request body" />}
      </Card>
      {response !== undefined && (
        <Card title={`Response · ${status ?? 'none'}`}>
          <Bytes text={response} name="the response body" />
        </Card>
      )}
    </>
  );
}
