import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Choices } from '../../elements/action.js';
import { Empty } from '../../elements/card.js';
import { Foreign, Initial } from '../../elements/foreign.js';
import { Tag } from '../../elements/row.js';
import { hrefOf, route } from '../../live/route.js';
import { inWords } from '../../reading/contract-words.js';
import { nextInWords } from '../../reading/journey-path.js';
import { firstNameIn, type PhoneContact } from '../../reading/people.js';
import { fromNow } from '../../reading/times.js';
import { useLive } from '../use-live.js';
import { Chat } from './chat.js';
import { ContactPicker, findContact, NewContact } from './contact-picker.js';
import { EventPanel, PropertiesPanel, TemplatePanel } from './panels.js';
import './phone.css';

const panels = { Chat, Properties: PropertiesPanel, Event: EventPanel, Template: TemplatePanel };
const panelNames = ['Chat', 'Properties', 'Event', 'Template'] as const;

/** A contact's phone: the chat, the contact's data, and actions. */
export function Phone() {
  const live = useLive();
  const [panel, setPanel] = useState<keyof typeof panels>('Chat');
  const [isPicking, setPicking] = useState(false);
  const firstOfAll = () => {
    const { value: connection } = live.connection;
    const isUpToDate = connection.kind === 'live' && connection.behind === 0;
    return isUpToDate ? [...live.people.value.values()][0]?.phone : undefined;
  };
  // The choice stays when the view changes, and when other contacts write.
  const chosen = useRef<string>(undefined);
  chosen.current = route.value.parameters.phone ?? chosen.current ?? firstOfAll();
  const who = chosen.current;
  // Another choice, or another view, closes the list.
  useLayoutEffect(() => setPicking(false), [route.value]);
  const contact = useMemo(
    () =>
      live.shows(
        async () => (who === undefined ? undefined : { found: await findContact(live.surface, who) }),
        'contacts',
      ),
    [live, who],
  );
  if (who === undefined) {
    return (
      <div class="phone">
        <Empty title="No contact yet">
          <p>The phone shows the chat with a contact. You can write as the contact.</p>
          <NewContact />
        </Empty>
      </div>
    );
  }
  const found = contact.value?.found;
  const Panel = panels[panel];
  return (
    <div class="phone">
      <ContactHeader who={who} contact={found} isPicking={isPicking} onPick={() => setPicking(!isPicking)} />
      {isPicking && <ContactPicker chosen={found?.phone ?? who} />}
      {!isPicking && found === undefined && (
        <Empty title={contact.value === undefined ? 'Loading …' : 'No such contact'}>
          {contact.value !== undefined && <NewContact phone={who} />}
        </Empty>
      )}
      {!isPicking && found !== undefined && (
        <>
          <Choices label="What the phone shows" options={panelNames} chosen={panel} onChoose={setPanel} />
          <Panel key={found.id} contact={found} />
        </>
      )}
    </div>
  );
}

const consentTones = { opted_in: 'ok', opted_out: 'bad', unknown: 'plain' } as const;

interface ContactHeaderProperties {
  /** The phone or the id that was chosen. */
  readonly who: string;
  readonly contact: PhoneContact | undefined;
  readonly isPicking: boolean;
  readonly onPick: () => void;
}

/** Who the phone belongs to, and where the contact is in the workspace's segments and journeys. */
function ContactHeader({ who, contact, isPicking, onPick }: ContactHeaderProperties) {
  const name = contact && firstNameIn(contact.properties);
  return (
    <div class="who">
      <button type="button" class="who-button" aria-expanded={isPicking} onClick={onPick}>
        {contact !== undefined && <Initial {...contact} name={name} />}
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
      {contact !== undefined && !isPicking && <Chips contact={contact} />}
    </div>
  );
}

/** The consent of the contact, its segments, and its journeys, each with its next step. */
function Chips({ contact: { id: contactId, phone, consent } }: { readonly contact: PhoneContact }) {
  const live = useLive();
  const segments = live.segments.value?.filter(({ members }) => members.includes(contactId)) ?? [];
  const waiting = live.runs.value.filter((run) => run.contactId === contactId && run.status === 'waiting');
  const now = waiting.length === 0 ? 0 : (live.now.value ?? 0);
  return (
    <p class="chips">
      <Tag tone={consentTones[consent]} text={consent === 'unknown' ? 'no consent yet' : inWords(consent)} />
      {segments.map(({ segment: { id } }) => (
        <span key={id} class="tag plain" title="A segment of the contact">
          {id}
        </span>
      ))}
      <a class="who-entries" href={hrefOf('timeline', { contact: phone, phone })}>
        timeline
      </a>
      {waiting.slice(0, 3).map(({ id, journeyId, position, dueAt }) => (
        <a key={id} class="tag wait" href={hrefOf('journeys', { run: id })}>
          {journeyId} {fromNow(dueAt, now)}:{' '}
          {nextInWords(
            live.journeys.value?.find((journey) => journey.id === journeyId),
            position,
          )}
        </a>
      ))}
    </p>
  );
}
