import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Foreign } from '../../elements/foreign.js';
import { followShortcuts } from '../../elements/shortcuts.js';
import { hrefOf, type View, views } from '../../live/route.js';
import { counted, countOf } from '../../reading/counted.js';
import { seen } from '../../reading/foreign-text.js';
import { useBench } from '../bench.js';
import { ClockBar } from '../clock/clock-bar.js';
import { DeliveriesView } from '../deliveries/deliveries-view.js';
import { JourneysView } from '../journeys/journeys-view.js';
import { Phone } from '../phone/phone.js';
import { TimelineView } from '../timeline/timeline-view.js';
import { WorkspaceView } from '../workspace/workspace-view.js';
import { Palette } from './palette.js';
import { Strip } from './strip.js';
import './room.css';

const contents: Readonly<Record<View, ComponentType>> = {
  timeline: TimelineView,
  phone: () => null, // The phone appears next to every view. On a narrow screen, it is the view.
  deliveries: DeliveriesView,
  journeys: JourneysView,
  workspace: WorkspaceView,
};

/** The open page: the bar with the clock, the view that the URL names, and the phone. */
export function Room({ onLeave }: { readonly onLeave: () => void }) {
  const { route } = useBench();
  const { view } = route.value;
  const Content = contents[view];
  const content = useRef<HTMLElement>(null);
  const phone = useRef<HTMLDivElement>(null);
  const current = useRef<HTMLAnchorElement>(null);
  // On a narrow screen, the links to the views are wider than the screen.
  useLayoutEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [view]);
  useEffect(() => followShortcuts(document), []);
  const isPhone = view === 'phone';
  // The fragment of the URL is the route: the link must not change it.
  const skip = (event: Event) => {
    event.preventDefault();
    (isPhone ? phone : content).current?.focus();
  };
  return (
    <div class={`room shows-${view}`}>
      <a class="skip" href={`#${contentId}`} onClick={skip}>
        Skip to the content
      </a>
      <header class="bar">
        <h1>Workbench</h1>
        <Connection />
        <Title />
        <WorkspaceName onLeave={onLeave} />
        <Palette />
        <span class="grow" />
        <QuotaBar />
        <ClockBar />
        <Strip />
      </header>
      <nav class="views" aria-label="Views">
        {views.map((name) => (
          <a
            key={name}
            href={hrefOf(name)}
            class={`to-${name}`}
            {...(name === view && { 'aria-current': 'page', ref: current })}
          >
            {labels[name]}
            <Badge view={name} />
          </a>
        ))}
      </nav>
      {!isPhone && (
        <main id={contentId} ref={content} class="content" tabIndex={-1}>
          <Content />
        </main>
      )}
      <div
        ref={phone}
        class="beside"
        {...(isPhone ? { role: 'main', id: contentId } : { role: 'complementary' })}
        {...{ 'aria-label': 'Phone' }}
        tabIndex={-1}
      >
        <Phone />
      </div>
    </div>
  );
}

const contentId = 'content';

const labels: Readonly<Record<View, string>> = {
  timeline: 'Timeline',
  phone: 'Phone',
  deliveries: 'Deliveries',
  journeys: 'Journeys',
  workspace: 'Workspace',
};

/** How many things of a view want attention. */
function Badge({ view }: { readonly view: View }) {
  const { live } = useBench();
  if (view === 'deliveries') {
    const { length: failing } = live.failing.value;
    return failing === 0 ? null : <em class="bad">{failing} failing</em>;
  }
  if (view === 'journeys') {
    const waiting = live.runs.value.filter(({ status }) => status === 'waiting').length;
    return waiting === 0 ? null : <em>{waiting}</em>;
  }
  return null;
}

/** Whether the page is up to date. A lost connection is said aloud. */
function Connection() {
  const { live } = useBench();
  const state = live.connection.value;
  const gone = live.journal.gone.value;
  const behind = state.kind === 'live' ? state.behind : 0;
  return (
    <span class={`connection ${behind > 0 ? 'behind' : state.kind}`} role="status">
      {behind > 0 && `${counted(behind)} behind`}
      {state.kind === 'live' && behind === 0 && 'live'}
      {state.kind === 'connecting' && 'connecting …'}
      {state.kind === 'lost' && 'Connection lost. The page may be outdated. Reconnecting …'}
      {gone > 0 && (
        <small title="The journal only keeps the newest entries.">
          {' '}
          · {counted(gone)} older entries were dropped
        </small>
      )}
    </span>
  );
}

/** The remaining conversations, and the way to change them. */
function QuotaBar() {
  const { live } = useBench();
  const { value } = live.quota;
  if (value === undefined) return null;
  const left = value.quota + value.addOnCredits;
  return (
    <a class={`quota${left === 0 ? ' used-up' : ''}`} href={hrefOf('workspace')}>
      {countOf(left, 'send')} left
    </a>
  );
}

/** The title of the browser's tab: what fails, and the workspace. */
function Title() {
  const { live } = useBench();
  const { length: failing } = live.failing.value;
  const id = live.id.value;
  useEffect(() => {
    const parts = [failing > 0 && `${failing} failing`, id !== undefined && seen(id, 60), 'Workbench'];
    document.title = parts.filter((part) => part !== false).join(' · ');
  }, [failing, id]);
  return null;
}

/** The id of the workspace, and the way to another one. */
function WorkspaceName({ onLeave }: { readonly onLeave: () => void }) {
  const { live } = useBench();
  return (
    <button type="button" class="quiet workspace-name" onClick={onLeave} title="Open another workspace">
      <Foreign text={live.id.value ?? '…'} most={200} />
    </button>
  );
}
