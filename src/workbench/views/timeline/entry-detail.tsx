import { useMemo } from 'preact/hooks';
import type { Remedy } from '../../../server/index.js';
import { Bytes } from '../../elements/bytes.js';
import { Card, Facts } from '../../elements/card.js';
import { Copy } from '../../elements/copy.js';
import { Foreign } from '../../elements/foreign.js';
import { KindIcon, kindName } from '../../elements/icon.js';
import { Tag } from '../../elements/row.js';
import { hrefOf } from '../../live/route.js';
import { contactOf, describeEntry } from '../../reading/describe-entry.js';
import { dateAndTime } from '../../reading/times.js';
import type { Entry, EntryOf } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { errorIn, written } from '../../surface/refused-error.js';
import { DeliveryDetail } from '../deliveries/delivery-detail.js';
import { RemedyAction } from '../deliveries/explanation.js';
import { useLive } from '../use-live.js';
import { EntryRow } from './entry-row.js';

const copyNames = ['curl', 'code', 'test'] as const;

/** An entry with everything that the page knows about it. */
export function EntryDetail({ entry, closeHref }: { readonly entry: Entry; readonly closeHref: string }) {
  const { title, detail, outcome, tone } = describeEntry(entry);
  const { phone, contactId } = contactOf(entry);
  const contact = phone ?? contactId;
  const live = useLive();
  const inspection = useMemo(() => {
    const path = { number: String(entry.number) };
    return live.shows(() => live.surface.control(control.journal.inspect, { path }));
  }, [live, entry.number]);
  const { copies, remedy } = inspection.value ?? {};
  return (
    <section class="detail" aria-label={`${kindName(entry.type)} ${title}`}>
      <header class="headline">
        <KindIcon type={entry.type} />
        <h2>
          <Foreign text={title} most={1_000} />
        </h2>
        <Tag tone={tone} text={outcome} />
        <a class="button close" href={closeHref} aria-label="Close the entry" aria-keyshortcuts="Escape">
          ×
        </a>
      </header>
      <p class="sub">
        {dateAndTime(entry.at)} · entry {entry.number}
        {contact !== undefined && (
          <>
            {' · '}
            <a href={hrefOf('timeline', { contact })}>
              all of <Foreign text={contact} most={200} />
            </a>
          </>
        )}
      </p>
      {entry.type !== 'attempt' && tone !== 'bad' && detail !== '' && (
        <p class="said">
          <Foreign text={detail} />
        </p>
      )}
      {entry.type === 'request' && <RequestDetail entry={entry} remedy={remedy} />}
      {entry.type === 'send' && <SendDetail entry={entry} />}
      {entry.type === 'attempt' && <DeliveryDetail delivery={entry.delivery} />}
      {entry.type === 'journey' && <JourneyDetail entry={entry} />}
      {entry.type === 'event' && <Card title="Properties">{allOf(entry.event.properties)}</Card>}
      {entry.type === 'fault' && <Card title="Fault">{allOf(entry.fault)}</Card>}
      {entry.type === 'change' && <Card title="Before">{allOf({ before: entry.before ?? 'not kept' })}</Card>}
      <Card title="Reproduce">
        <div class="acts">
          {copyNames.map((name) => (
            <Copy key={name} text={copies?.[name]}>
              Copy as {name}
            </Copy>
          ))}
        </div>
        {copies === undefined && inspection.problem !== undefined && <p class="why">{inspection.problem}</p>}
      </Card>
      {/* Last: what comes later moves nothing. */}
      <StoryOf entry={entry} />
    </section>
  );
}

interface RequestDetailProperties {
  readonly entry: EntryOf<'request'>;
  readonly remedy: Remedy | undefined;
}

/** A request with its response, and why it was refused. */
function RequestDetail({ entry, remedy }: RequestDetailProperties) {
  const { method, path, body, status, responseBody: response, requestId, operation } = entry;
  const { message, fields } = errorIn(response ?? '');
  const isRefused = status === undefined || status >= 400;
  return (
    <>
      {isRefused && (
        <div class="why">
          <strong>
            {status === undefined ? 'A fault broke the connection.' : `The API responded with ${status}.`}
          </strong>
          {response !== undefined && <p>{message}</p>}
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

function allOf(values: object) {
  const facts = Object.entries(values).map(([name, value]) => [name, written(value)]);
  return facts.length === 0 ? <small>none</small> : <Facts of={Object.fromEntries(facts)} />;
}

const payers = { plan: "the plan's quota", add_on: 'add-on credits' } as const;

/** A send: its template, the variables, and what it took off the quota. */
function SendDetail({ entry }: { readonly entry: EntryOf<'send'> }) {
  const live = useLive();
  const { templateId, variables, phone, paidBy, id } = entry.send;
  const template = live.templates.value?.find((each) => each.id === templateId);
  const named = Object.entries(variables).map(([name, value]) => [`{{${name}}}`, value]);
  return (
    <Card title="Template" aside={<small>{id}</small>}>
      <Facts
        of={{
          to: phone,
          template: template === undefined ? `${templateId} (removed since)` : templateId,
          body: template && <code>{template.body}</code>,
          ...Object.fromEntries(named),
          cost: `1 conversation of ${payers[paidBy]}`,
        }}
      />
    </Card>
  );
}

/** A step of a journey run. */
function JourneyDetail({ entry: { run } }: { readonly entry: EntryOf<'journey'> }) {
  const { journeyId, contactId, startedAt, dueAt, status, position, error } = run;
  return (
    <>
      {error !== undefined && (
        <div class="why">
          <strong>The run failed.</strong>
          <p>{error}</p>
        </div>
      )}
      <Card title="Run" aside={<a href={hrefOf('journeys', { run: run.id })}>open in Journeys</a>}>
        <Facts
          of={{
            journey: journeyId,
            contact: contactId,
            started: dateAndTime(startedAt),
            [`step ${position + 1}`]: status === 'waiting' ? `due ${dateAndTime(dueAt)}` : undefined,
          }}
        />
      </Card>
    </>
  );
}

/** The most entries of a story that are listed. */
const mostListed = 100;

/** What led to an entry, and what followed from it. */
function StoryOf({ entry }: { readonly entry: Entry }) {
  const { journal } = useLive();
  const entries = journal.stories.of(entry);
  if (entries.length < 2) return null;
  return (
    <Card title="Story">
      <ul class="related" aria-label="Story">
        {entries.slice(0, mostListed).map((each, index) => (
          <li key={each.number}>
            <EntryRow
              entry={each}
              above={entries[index - 1]}
              hrefTo={({ number }) => hrefOf('timeline', { entry: journal.linkTo(number) })}
              opened={entry}
            />
          </li>
        ))}
      </ul>
      {entries.length > mostListed && <small>{entries.length - mostListed} more</small>}
    </Card>
  );
}
