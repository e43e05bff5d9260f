import type { ComponentChildren } from 'preact';
import { hrefOf } from '../../live/route.js';
import { useBench } from '../bench.js';

interface PhoneLinkProperties {
  /** The phone or the id of the contact. */
  readonly contact: string;
  readonly children: ComponentChildren;
}

/** Shows a contact on the phone: next to the view if the screen is wide enough, otherwise as the view. */
export function PhoneLink({ contact, children }: PhoneLinkProperties) {
  const { route } = useBench();
  const { view, parameters } = route.value;
  const href = hrefOf('phone', { phone: contact });
  return (
    <a
      href={href}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || !matchMedia('(min-width: 1021px)').matches) return;
        event.preventDefault();
        location.hash = hrefOf(view, { ...parameters, phone: contact });
      }}
    >
      {children}
    </a>
  );
}
