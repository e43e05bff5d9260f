import { Fragment } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Remedy } from '../../../server/index.js';
import { Action } from '../../elements/action.js';
import { Bytes, Headers } from '../../elements/bytes.js';
import { Card, Facts } from '../../elements/card.js';
import { Copy } from '../../elements/copy.js';
import { Foreign } from '../../elements/foreign.js';
import { KindIcon, kindName } from '../../elements/icon.js';
import { announce } from '../../elements/notices.js';
import { Row, Tag, Who } from '../../elements/row.js';
import { hrefOf, route } from '../../live/route.js';
import { countOf } from '../../reading/counted.js';
import { describeEntry } from '../../reading/describe-entry.js';
import type { StoryDescription } from '../../reading/describe-story.js';
import { dateAndTime } from '../../reading/times.js';
import type { EntryJson, EntryJsonOf } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { errorIn, written } from '../../surface/refused-error.js';
import { DeliveryDetail } from '../deliveries/delivery-detail.js';
import { RemedyAction } from '../deliveries/explanation.js';
import { Passage } from '../passage.js';
import { useLive } from '../use-live.js';
import { describeIn } from './entry-row.js';

const copyNames = ['curl', 'code', 'test'] as const;

/** An entry with everything that the page knows about it, below the story that it belongs to. */
export function EntryDetail({ entry, closeHref }: { readonly entry: EntryJson; readonly closeHref: string }) {
  const live = useLive();
  const described = describeEntry(entry);
  const story = live.journal.stories.of(entry);
  const told = story.length < 2 ? undefined : describeIn(live, story);
  const { title, outcome, tone } = told ?? described;
  const newest = told?.newest === undefined ? '' : ` → ${told.newest}`;
  const who = live.journal.whose(entry);
  return (
    <section class="detail" aria-label={`${kindName(entry.type)} ${described.title}`}>
      <header class="headline">
        <KindIcon type={told?.subject.type ?? entry.type} />
        <h2>
          <Who of={who} />
          <Foreign text={title + newest} most={1_000} />
        </h2>
        {outcome !== '' && <Tag tone={tone} text={outcome} />}
        <a class="button close" href={closeHref} aria-label="Close the entry" aria-keyshortcuts="Escape">
          ×
        </a>
      </header>
      <p class="sub">
        {dateAndTime(entry.at)} · entry {entry.number}
        {who !== undefined && (
          <>
            {' · '}
            <a href={hrefOf('timeline', { contact: who.phone })}>
              all of <Foreign text={who.phone} most={200} />
            </a>
          </>
        )}
      </p>
      {told !== undefined && <Steps told={told} opened={entry} />}
      <EntryContent entry={entry} />
    </section>
  );
}

/** What an entry says: why it failed, its bytes, and how to reproduce it. */
function EntryContent({ entry }: { readonly entry: EntryJson }) {
  const { detail, tone } = describeEntry(entry);
  const said = entry.type === 'message' ? entry.body : detail;
  const live = useLive();
  const inspection = useMemo(() => {
    const path = { number: String(entry.number) };
    return live.shows(() => live.surface.control(control.journal.inspect, { path }));
  }, [live, entry.number]);
  const { copies, remedy } = inspection.value ?? {};
  return (
    <>
      {entry.type !== 'attempt' && entry.type !== 'event' && tone !== 'bad' && said !== '' && (
        <p class="said">
          <Foreign text={said} />
        </p>
      )}
      {entry.type === 'request' && <RequestDetail entry={entry} remedy={remedy} />}
      {entry.type === 'send' && <SendDetail entry={entry} />}
      {entry.type === 'attempt' && (
        <DeliveryDetail delivery={entry.delivery} attempt={entry.attempt.number} />
      )}
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
    </>
  );
}

interface RequestDetailProperties {
  readonly entry: EntryJsonOf<'request'>;
  readonly remedy: Remedy | undefined;
}

/** A request with its response, and why it was refused. */
function RequestDetail({ entry, remedy }: RequestDetailProperties) {
  const { method, path, headers = [], body, status, operation, requestId } = entry;
  const { responseBody: response, responseHeaders = [] } = entry;
  const { surface } = useLive();
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
        <Headers first={`${method} ${path}`} of={headers} />
        {body !== undefined && <Bytes text={body} name="the request body" />}
        <div class="acts">
          <Action
            aria-keyshortcuts="r"
            onRun={async () => announce(`Sent again. The API responded with ${await surface.repeat(entry)}.`)}
          >
            Send again
          </Action>
        </div>
      </Card>
      {status !== undefined && (
        <Card title={`Response · ${status}`}>
          <Headers first={`X-Request-Id: ${requestId}`} of={responseHeaders} />
          {response !== undefined && <Bytes text={response} name="the response body" />}
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
function SendDetail({ entry }: { readonly entry: EntryJsonOf<'send'> }) {
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
function JourneyDetail({ entry: { run } }: { readonly entry: EntryJsonOf<'journey'> }) {
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

/** The most steps of a story that are listed. */
const mostListed = 200;

/** How much higher than its steps the list of an unfinished story is, so that the next ones move nothing. In pixels. */
const roomForNext = 60;

interface StepsProperties {
  readonly told: StoryDescription;
  readonly opened: EntryJson;
}

/** The steps of a story in order, with the days between them. */
function Steps({ told: { steps, tone }, opened }: StepsProperties) {
  const { journal } = useLive();
  const list = useRef<HTMLOListElement>(null);
  const isOver = tone === 'ok' || tone === 'plain';
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null) return;
    current.style.height = `${current.offsetHeight + (isOver ? 0 : roomForNext)}px`;
    current.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, []);
  const at = steps.findIndex(({ entry }) => entry === opened);
  const first = Math.max(0, at - mostListed / 2);
  const listed = steps.slice(first, first + mostListed);
  const later = steps.length - first - listed.length;
  return (
    <ol class="bare steps card" aria-label="Story" ref={list}>
      {first > 0 && <li class="passage">{countOf(first, 'earlier step')}</li>}
      {listed.map(({ entry, newest: _, ...step }, index) => (
        <Fragment key={entry.number}>
          <Passage at={entry.at} before={steps[first + index - 1]?.entry.at} />
          <li>
            <Row
              {...step}
              href={hrefOf('timeline', { ...route.value.parameters, entry: journal.linkTo(entry.number) })}
              isOpen={entry === opened}
              at={entry.at}
              above={undefined}
              type={entry.type}
            />
          </li>
        </Fragment>
      ))}
      {later > 0 && <li class="passage">{countOf(later, 'later step')}</li>}
    </ol>
  );
}
