import type { ComponentType } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { hrefOf, labelOf, route, type View, viewNames } from '../../live/route.js';
import { DeliveriesView } from '../deliveries/deliveries-view.js';
import { JourneysView } from '../journeys/journeys-view.js';
import { Phone } from '../phone/phone.js';
import { TimelineView } from '../timeline/timeline-view.js';
import { useLive } from '../use-live.js';
import { WorkspaceView } from '../workspace/workspace-view.js';
import { Bar } from './bar.js';
import './room.css';

const contents: Readonly<Record<View, ComponentType>> = {
  timeline: TimelineView,
  phone: () => null, // The phone appears next to every view. On a narrow screen, it is the view.
  deliveries: DeliveriesView,
  journeys: JourneysView,
  workspace: WorkspaceView,
};

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

/** How many things of a view want attention. */
function Badge({ view }: { readonly view: View }) {
  const live = useLive();
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
