import { readFileSync } from 'node:fs';

/** A change of one file below `src/`. */
export interface Edit {
  readonly file: string;
  /** Occurs in the file exactly once. */
  readonly find: string;
  readonly replace: string;
}

/** A fault that breaks one promise of the service. */
export interface PlantedFault {
  readonly name: string;
  readonly edits: readonly [Edit, ...Edit[]];
  /** What the soak reports because of this fault. Other discrepancies do not count. */
  readonly shows: RegExp;
  /** How long there is load. In seconds. */
  readonly seconds: number;
  /** Whether the database goes back to a backup in that time. Default: false. */
  readonly restores?: boolean;
}

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'quota-not-locked',
    edits: [
      {
        file: 'postgres/database/functions/writing.ts',
        find: `q.workspace = owner for no key update;
    paid_by := case when purse.quota > 0 then 'plan' when purse.add_on_credits > 0 then 'add_on' end;
    if paid_by is null then
      continue;
    end if;
    update :schema.quotas q
    set quota = q.quota -`,
        // The pause makes concurrent sends meet more often.
        replace: `q.workspace = owner;
    perform pg_sleep(0.02);
    paid_by := case when purse.quota > 0 then 'plan' when purse.add_on_credits > 0 then 'add_on' end;
    if paid_by is null then
      continue;
    end if;
    update :schema.quotas q
    set quota = purse.quota -`,
      },
    ],
    shows: /taken off the (plan|add_on) quota/,
    seconds: 45,
  },
  {
    name: 'attempt-not-fenced',
    edits: [
      {
        file: 'postgres/database/functions/claiming.ts',
        find: `ended as (
    delete from :schema.claims c using attempted a
    where c.workspace = owner and c.id = a.id and c.token = a.token
    returning a.*
  )`,
        replace: `gone as (
    delete from :schema.claims c using attempted a where c.workspace = owner and c.id = a.id
  ),
  ended as (select a.* from attempted a)`,
      },
      {
        file: 'postgres/database/functions/claiming.ts',
        find: 'd.id = g.id and cardinality(d.attempts) + 1 = g.number',
        replace: 'd.id = g.id',
      },
    ],
    shows: /attempt \d+ counts as \d+|acknowledged, and another followed|more than 3 attempts/,
    seconds: 45,
  },
  {
    name: 'delivery-not-handed-over',
    edits: [
      {
        file: 'postgres/database/functions/claiming.ts',
        find: 'and c.id = d.id and c.lease_until > clock_timestamp()',
        replace: 'and c.id = d.id',
      },
      // Else a clock that runs until nothing is due would run for ever.
      {
        file: 'postgres/records/schedule.ts',
        find: "const isFree = '(lease_until is null or lease_until <= clock_timestamp())';",
        replace: "const isFree = '(lease_until is null)';",
      },
      {
        file: 'postgres/records/schedule.ts',
        find: 'c.id = d.id and c.lease_until > clock_timestamp()',
        replace: 'c.id = d.id',
      },
    ],
    shows: /the delivery \S+ \(pending, .*it waits for nothing/,
    seconds: 75,
  },
  {
    name: 'clock-of-the-machine',
    edits: [
      {
        file: 'postgres/replica/database-time.ts',
        find: 'return this.#machine.now() - this.#ahead;',
        replace: 'return this.#machine.now();',
      },
    ],
    shows: /\(flowing\): the times of two replicas are \d+ ms apart/,
    seconds: 45,
  },
  {
    name: 'rows-of-deleted-workspaces-kept',
    edits: [
      {
        file: 'postgres/records/deletion.ts',
        find: 'if (row === undefined) return;',
        replace: 'return;',
      },
    ],
    shows: /^the deleted .* still has rows$/,
    seconds: 45,
  },
  {
    name: 'unreadable-row-lost',
    edits: [
      {
        file: 'postgres/records/set-aside.ts',
        find: "moved.join(' union all ')",
        replace: "moved.join(' where false union all ') + ' where false'",
      },
    ],
    shows: /the edited workspace: the spoilt \S+ is not set aside/,
    seconds: 45,
  },
  {
    name: 'event-processed-twice',
    edits: [
      {
        file: 'postgres/records/events.ts',
        find: "'not processed and (lease_until is null or lease_until <= clock_timestamp())'",
        replace: "'not processed'",
      },
      {
        file: 'postgres/database/functions/writing.ts',
        find: 'and e.id = event_id and e.token = claim_token and not e.processed;',
        replace: 'and e.id = event_id;',
      },
    ],
    shows: /the event \S+ has started [2-9] runs/,
    seconds: 45,
  },
  {
    name: 'journey-step-taken-twice',
    edits: [
      {
        file: 'postgres/database/functions/writing.ts',
        find: 'given.record::json, given.run_id, given.step, given.token',
        replace: 'given.record::json, null, null, given.token',
      },
      // The pause lets disruptions meet the step after its send, so that another replica takes it again.
      {
        file: 'server/service/journeys.ts',
        find: 'variables: values }, { step });',
        replace:
          'variables: values }, { step });\n      await new Promise((resume) => setTimeout(resume, 300));',
      },
    ],
    shows: /the run \S+ of \S+ is \S+ and has sent \[/,
    seconds: 45,
  },
  {
    name: 'change-not-told',
    edits: [
      {
        file: 'postgres/replica/notices.ts',
        find: 'counters.notices += 1;',
        replace: 'return;',
      },
    ],
    shows: /is not told of an event/,
    seconds: 45,
  },
  {
    name: 'characters-lost',
    edits: [
      {
        file: 'postgres/records/events.ts',
        find: 'events.map(({ properties }) => JSON.stringify(properties)),',
        replace: "events.map(({ properties }) => JSON.stringify(properties).replaceAll('\\\\u0000', '')),",
      },
    ],
    shows: /the event t\d+ ".*\\u0000.*" succeeded and has left no trace/,
    seconds: 45,
  },
  {
    name: 'journal-batch-added-twice',
    edits: [
      {
        file: 'postgres/records/journal.ts',
        find: 'where known.batch < excluded.batch',
        replace: '',
      },
      // Each batch comes a second time, as after a lost response. Without the other edit this changes nothing.
      {
        file: 'server/workspace/shared/shared-journal.ts',
        find: 'await this.#store.append(this.#batch);',
        replace: 'await this.#store.append(this.#batch);\n        await this.#store.append(this.#batch);',
      },
    ],
    shows: /the message \S+ succeeded and has left 2 traces/,
    seconds: 45,
  },
  {
    name: 'retry-too-early',
    edits: [
      {
        file: 'server/deliveries/dispatcher.ts',
        find: '.now() + toMilliseconds(wait) };',
        replace: '.now() + toMilliseconds(wait) / 2 };',
      },
    ],
    shows: /attempt [23] came \d+ ms early/,
    seconds: 45,
  },
  {
    name: 'fourth-attempt',
    edits: [
      {
        file: 'server/deliveries/dispatcher.ts',
        find: 'gaps().retryBackoff[number - 1];',
        replace: "gaps().retryBackoff[number - 1] ?? (number === 3 ? '1s' : undefined);",
      },
    ],
    shows: /more than 3 attempts/,
    seconds: 45,
  },
  {
    name: 'settings-of-the-lost-future',
    edits: [
      {
        file: 'server/workspace/shared/shared-settings.ts',
        find: 'else if (latest.mark !== this.#mark) this.#become(',
        // What a replica has seen wins over a row whose clock is behind it.
        replace: `else if (latest.mark !== this.#mark && (this.#mark === undefined ||
          Object.values(latest.clock)[1] >= Object.values(toStored(this.#now).clock)[1])) this.#become(`,
      },
    ],
    shows: /after the restore, \S+ has another (clock|faults) than a fresh replica/,
    seconds: 45,
    restores: true,
  },
];

/** Returns the text of a file with an edit. Throws if the edit does not fit exactly once. */
export function edited(text: string, { file, find, replace }: Edit, fault: string): string {
  const [before = '', after, ...others] = text.split(find);
  if (after === undefined || others.length > 0) {
    const count = after === undefined ? 'not' : 'more than once';
    throw new Error(`The fault ${fault} does not fit: src/${file} has ${count} the text\n${find}`);
  }
  return before + replace + after;
}

/** Returns the files below a folder of sources that a fault changes, with their new texts. */
export function filesWith({ name, edits }: PlantedFault, sources: URL): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const edit of edits) {
    const text = texts.get(edit.file) ?? readFileSync(new URL(edit.file, sources), 'utf8');
    texts.set(edit.file, edited(text, edit, name));
  }
  return texts;
}
