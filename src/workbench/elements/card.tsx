import type { ComponentChildren } from 'preact';

interface CardProperties {
  readonly title: string;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a view with a heading. */
export function Card({ title, aside, children }: CardProperties) {
  return (
    <section class="card">
      <header>
        <h3>{title}</h3>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** An empty view: explains what appears there, and how to begin. */
export function Empty({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Facts with their names. Those without a value are left out. */
export function Facts({ of }: { readonly of: Readonly<Record<string, ComponentChildren>> }) {
  return (
    <dl class="facts">
      {Object.entries(of).map(
        ([name, value]) =>
          value !== undefined && (
            <>
              <dt key={name}>{name}</dt>
              <dd>{value}</dd>
            </>
          ),
      )}
    </dl>
  );
}
