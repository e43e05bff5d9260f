import type { ComponentType } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hrefOf, labelOf, route, type View, viewNames } from '../../live/route.js';
import { counted } from '../../reading/counted.js';
import { Phone } from '../phone/phone.js';
import { TimelineView } from '../timeline/timeline-view.js';
import { useLive } from '../use-live.js';
import { Bar } from './bar.js';
import { Later } from './later.js';
import { Strip } from './strip.js';
// The styles of all views come with the page: those that come later would move what shows already.
import '../deliveries/deliveries.css';
import '../journeys/journeys.css';
import '../workspace/workspace.css';
import './room.css';

const contents: Readonly<Record<View, ComponentType>> = {
  timeline: () => <TimelineView above={<FailedTestAbove />} />,
  phone: () => null, // The phone appears next to every view. On a narrow screen, it is the view.
  deliveries: () => <Later>{({ DeliveriesView }) => <DeliveriesView />}</Later>,
  journeys: () => <Later>{({ JourneysView }) => <JourneysView />}</Later>,
  workspace: () => <Later>{({ WorkspaceView }) => <WorkspaceView />}</Later>,
};

/** The failed test that left the workspace. Few workspaces have one. */
function FailedTestAbove() {
  const { value: failed } = useLive().failedTest;
  return failed === undefined ? null : (
    <Later>{({ FailedTestNote }) => <FailedTestNote of={failed} />}</Later>
  );
}

/** The open page: the bar with the clock, the view that the URL names, and the phone. */
export function Room() {
  const { view } = route.value;
  const Content = contents[view];
  const current = useRef<HTMLAnchorElement>(null);
  // On a narrow screen, the links to the views are wider than the screen.
  useLayoutEffect(() => current.current?.scrollIntoView({ block: 'nearest' }), [view]);
  const isPhone = view === 'phone';
  // The fragment of the URL is the route: the link must not change it.
  const skip = (event: Event) => {
    event.preventDefault();
    document.getElementById(contentId)?.focus();
  };
  return (
    <div class={`room shows-${view}`}>
      <a class="skip" href={`#${contentId}`} onClick={skip}>
        Skip to the content
      </a>
      <Bar />
      <div class="below-bar">
        <nav class="views" aria-label="Views">
          {viewNames.map((name) => (
            <a
              key={name}
              href={hrefOf(name)}
              class={`to-${name}`}
              {...(name === view && { 'aria-current': 'page', ref: current })}
            >
              {labelOf(name)}
              <Badge view={name} />
            </a>
          ))}
        </nav>
        <Strip />
      </div>
      {!isPhone && (
        <main id={contentId} class="content" tabIndex={-1}>
          <Content />
        </main>
      )}
      <div
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

/** How many things of a view want attention. Its room is there without them, too. */
function Badge({ view }: { readonly view: View }) {
  const live = useLive();
  if (view === 'deliveries') return <Count of={live.failing.value.length} what="failing" tone="bad" />;
  if (view !== 'journeys') return null;
  const waiting = live.runs.value.filter(({ status }) => status === 'waiting').length;
  return <Count of={waiting} what="waiting" tone="plain" />;
}

interface CountProperties {
  readonly of: number;
  readonly what: string;
  readonly tone: 'bad' | 'plain';
}

function Count({ of, what, tone }: CountProperties) {
  return (
    <em class={tone} title={of === 0 ? undefined : `${counted(of)} ${what}`}>
      {of > 0 && (
        <>
          {of > 99 ? '99+' : of} <span class="unseen">{what}</span>
        </>
      )}
    </em>
  );
}
