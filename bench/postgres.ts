import { parseArgs } from 'node:util';
import { measureContacts } from './postgres/contacts.js';
import { startDatabase } from './postgres/database.js';
import { measureDelays } from './postgres/delays.js';
import { measureDeliveries } from './postgres/deliveries.js';
import { measureGrowth } from './postgres/growth.js';
import { measureOutbox } from './postgres/outbox.js';
import { measureScale } from './postgres/scale.js';
import { measureTakeover } from './postgres/takeover.js';
import type { Report } from './report/section.js';
import { tableOf } from './report/table.js';
import { resultsOf, writeReport } from './report/write.js';

const usage = `Measures servers that share a PostgreSQL on this machine, with fsync on, beside a server in memory.

npm run bench:postgres -- [--only deliveries,delays,outbox,contacts,growth,scale,takeover] [--contacts 200000] [--short] [--json]

--contacts says how many contacts count as many. --short has smaller figures and fewer rounds, and writes no results.
`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    contacts: { type: 'string', default: '200000' },
    short: { type: 'boolean', default: false },
  },
});
const many = Number(values.contacts);

await using database = await startDatabase();

/** What can be measured, by its name. */
const measurements: Readonly<Record<string, () => Promise<Report>>> = {
  deliveries: () => measureDeliveries(database, values.short),
  delays: () => measureDelays(database, values.short),
  outbox: () => measureOutbox(database, values.short),
  contacts: () => measureContacts(database, values.short),
  growth: () => measureGrowth(database, values.short, many),
  scale: () => measureScale(database, values.short),
  takeover: () => measureTakeover(database, values.short),
};
const wanted = values.only?.split(',') ?? Object.keys(measurements);
const unknown = wanted.filter((name) => !Object.hasOwn(measurements, name));

if (values.help || unknown.length > 0 || !Number.isInteger(many)) {
  if (unknown.length > 0) process.stderr.write(`Nothing is called ${unknown.join(' or ')}.\n\n`);
  process.stderr.write(usage);
  process.exitCode = values.help ? 0 : 2;
} else {
  const reports: Report[] = [];
  for (const name of wanted) {
    const report = await measurements[name]?.();
    if (!report) continue;
    reports.push(report);
    if (!values.short) await writeReport(report);
    if (!values.json) console.log(tableOf(report));
  }
  if (values.json) console.log(JSON.stringify(reports.map(resultsOf), null, 2));
}
