/** No message between 21:00 and 8:00, by the clock of the contact: a guard. */
import type { MessagingAutomation, SendGuard } from 'messaging-automation';

/** The reason in the `SendBlockedError` of a message that comes at night. */
export const atNight = 'it is night where the contact is';

const quarterOfAnHour = 15 * 60_000;

export interface QuietHours extends SendGuard {
  /** When the contact's night is over, in milliseconds since the Unix epoch; now if it is day. */
  endOfNight(phone: string): Promise<number>;
}

/**
 * A contact whose time zone is unknown gets nothing: `zoneOf` and `nightIn` throw, so that the call rejects with a `SendGuardError`. A message
 * that is late can still be sent.
 *
 * @param zoneOf Returns the IANA name of the contact's time zone, such as `Europe/Berlin`.
 * @param now Returns the time. Default: the machine's.
 */
export function quietHours(zoneOf: (phone: string) => Promise<string>, now = Date.now): QuietHours {
  return {
    async check({ phone }) {
      const isNight = nightIn(await zoneOf(phone));
      return isNight(now()) ? atNight : undefined;
    },
    async endOfNight(phone) {
      const isNight = nightIn(await zoneOf(phone));
      let moment = now();
      // Each zone is a multiple of a quarter of an hour apart from UTC, before and after its clocks change.
      while (isNight(moment)) moment = (Math.floor(moment / quarterOfAnHour) + 1) * quarterOfAnHour;
      return moment;
    },
  };
}

/** Reads the time zone from a property of the contact. It asks for each message, so that a contact who moves is right at once. */
export function zoneFromProperty(messaging: MessagingAutomation, property = 'timeZone') {
  return async (phone: string): Promise<string> => {
    const contact = await messaging.contacts.find(phone);
    const zone = contact?.properties[property];
    // Without a zone, Intl would take that of this machine.
    if (typeof zone !== 'string' || zone === '') throw new Error(`the contact has no property ${property}`);
    return zone;
  };
}

/** @throws {RangeError} when there is no such zone. */
function nightIn(timeZone: string): (moment: number) => boolean {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' });
  return (moment) => {
    const hour = Number(clock.format(moment));
    return hour >= 21 || hour < 8;
  };
}
