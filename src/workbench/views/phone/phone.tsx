import { useSignal, useSignalEffect } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Empty } from '../../elements/card.js';
import { useBench } from '../bench.js';
import { Chat } from './chat.js';
import { ContactHeader } from './contact-header.js';
import { ContactPicker, findContact, NewContact } from './contact-picker.js';
import { EventPanel } from './event-panel.js';
import { PropertiesPanel } from './properties-panel.js';
import { TemplatePanel } from './template-panel.js';
import './phone.css';

const panels = { chat: 'Chat', properties: 'Properties', event: 'Event', template: 'Template' } as const;
type Panel = keyof typeof panels;

/** A contact's phone: the chat, the contact's data, and actions. */
export function Phone() {
  const { live, route } = useBench();
  const { people } = live;
  const chosen = useSignal(route.peek().parameters.phone);
  const panel = useSignal<Panel>('chat');
  const isPicking = useSignal(false);
  useSignalEffect(() => {
    const { phone } = route.value.parameters;
    const { value: connection } = live.connection;
    const isUpToDate = connection.kind === 'live' && connection.behind === 0;
    // The choice stays when the view changes, and when other contacts write.
    if (phone !== undefined) chosen.value = phone;
    else if (chosen.peek() === undefined && isUpToDate) chosen.value = [...people.value.values()][0]?.phone;
  });
  useSignalEffect(() => {
    // Another choice, or another view, closes the list.
    void route.value;
    isPicking.value = false;
  });
  const who = chosen.value;
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
  const { value: shown } = panel;
  return (
    <div class="phone">
      <ContactHeader
        who={who}
        contact={found}
        isPicking={isPicking.value}
        onPick={() => {
          isPicking.value = !isPicking.value;
        }}
      />
      {isPicking.value ? (
        <ContactPicker people={[...people.value.values()]} chosen={found?.phone ?? who} />
      ) : found === undefined ? (
        <Empty title={contact.value === undefined ? 'Loading …' : 'No such contact'}>
          {contact.value !== undefined && <NewContact phone={who} />}
        </Empty>
      ) : (
        <>
          <div class="choices" role="group" aria-label="What the phone shows">
            {Object.entries(panels).map(([name, label]) => (
              <button
                key={name}
                type="button"
                class="choice"
                aria-pressed={name === shown}
                onClick={() => {
                  panel.value = isPanel(name) ? name : 'chat';
                }}
              >
                {label}
              </button>
            ))}
          </div>
          {shown === 'chat' && <Chat key={found.id} contact={found} />}
          {shown === 'properties' && <PropertiesPanel key={found.id} contact={found} />}
          {shown === 'event' && <EventPanel key={found.id} contact={found} />}
          {shown === 'template' && <TemplatePanel key={found.id} contact={found} />}
        </>
      )}
    </div>
  );
}

function isPanel(name: string): name is Panel {
  return name in panels;
}
