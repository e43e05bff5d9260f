import { Foreign } from '../../elements/foreign.js';
import { Initial } from '../../elements/initial.js';
import { Tag } from '../../elements/row.js';
import { hrefOf } from '../../live/route.js';
import { inWords } from '../../reading/describe-entry.js';
import { nextInWords } from '../../reading/journey-path.js';
import { type Contact, firstNameIn } from '../../reading/people.js';
import { fromNow } from '../../reading/times.js';
import { useBench } from '../bench.js';

const consentTones = { opted_in: 'ok', opted_out: 'bad', unknown: 'plain' } as const;

interface ContactHeaderProperties {
  /** The phone or the id that was chosen. */
  readonly who: string;
  readonly contact: Contact | undefined;
  readonly isPicking: boolean;
  readonly onPick: () => void;
}

/** Who the phone belongs to, and where the contact is in the workspace's segments and journeys. */
export function ContactHeader({ who, contact, isPicking, onPick }: ContactHeaderProperties) {
  const name = contact && firstNameIn(contact.properties);
  return (
    <div class="who">
      <button type="button" class="who-button" aria-expanded={isPicking} onClick={onPick}>
        {contact !== undefined && (
          <Initial id={contact.id} phone={contact.phone} {...(name !== undefined && { name })} />
        )}
        <span class="who-name">
          {name !== undefined && (
            <b>
              <Foreign text={name} most={200} />
            </b>
          )}
          <Foreign text={contact?.phone ?? who} most={200} />
        </span>
        <span class="who-more">{isPicking ? 'close' : 'all contacts'}</span>
      </button>
      {contact !== undefined && !isPicking && (
        <p class="chips">
          <Tag tone={consentTones[contact.consent]} text={consentWords(contact.consent)} />
          <Segments contactId={contact.id} />
          <a class="who-entries" href={hrefOf('timeline', { contact: contact.phone, phone: contact.phone })}>
            timeline
          </a>
          <Journeys contactId={contact.id} />
        </p>
      )}
    </div>
  );
}

function consentWords(consent: Contact['consent']): string {
  return consent === 'unknown' ? 'no consent yet' : inWords(consent);
}

/** The segments that the contact is in. */
function Segments({ contactId }: { readonly contactId: string }) {
  const { live } = useBench();
  return (
    <>
      {live.segments.value?.map(
        ({ segment: { id }, members }) =>
          members.includes(contactId) && (
            <span key={id} class="tag plain" title="A segment of the contact">
              {id}
            </span>
          ),
      )}
    </>
  );
}

/** The journeys that the contact is in, each with its next step. */
function Journeys({ contactId }: { readonly contactId: string }) {
  const { live } = useBench();
  const waiting = live.runs.value.filter((run) => run.contactId === contactId && run.status === 'waiting');
  if (waiting.length === 0) return null;
  const now = live.now.value ?? 0;
  return (
    <>
      {waiting.slice(0, 3).map(({ id, journeyId, position, dueAt }) => (
        <a key={id} class="tag wait" href={hrefOf('journeys', { run: id })}>
          {journeyId} {fromNow(dueAt, now)}:{' '}
          {nextInWords(
            live.journeys.value?.find((journey) => journey.id === journeyId),
            position,
          )}
        </a>
      ))}
    </>
  );
}
