import { parseArgs } from 'node:util';
import type { Report } from './report/section.js';
import { tableOf } from './report/table.js';
import { resultsOf, writeReport } from './report/write.js';
import { measureContacts } from './server/contacts.js';
import { measureDeadEndpoints } from './server/dead-endpoints.js';
import { measureDeliveries } from './server/deliveries.js';
import { measureGrowth } from './server/growth.js';
import { measureKeptState } from './server/kept-state.js';
import { measureStart } from './server/start.js';
import { measureWorkbench } from './server/workbench.js';

const usage = `Measures the reference server beside others and compares with what it is to reach.

npm run bench:server -- [--only contacts,growth,start,deliveries,dead,state,workbench] [--short] [--json]

--short takes less than a minute, with smaller figures and fewer rounds, and writes no results.
`;

/** What can be measured, by its name. */
const measurements: Readonly<Record<string, (short: boolean) => Promise<Report>>> = {
  contacts: measureContacts,
  growth: measureGrowth,
  start: measureStart,
  deliveries: measureDeliveries,
  dead: measureDeadEndpoints,
  state: measureKeptState,
  workbench: measureWorkbench,
};

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});
const wanted = values.only?.split(',') ?? Object.keys(measurements);
const unknown = wanted.filter((name) => !Object.hasOwn(measurements, name));

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`Nothing is called ${unknown.join(' or ')}.\n\n`);
  process.stderr.write(usage);
  process.exitCode = values.help ? 0 : 2;
} else {
  const reports: Report[] = [];
  for (const name of wanted) {
    const report = await measurements[name]?.(values.short);
    if (!report) continue;
    reports.push(report);
    if (!values.short) await writeReport(report);
    if (!values.json) console.log(tableOf(report));
  }
  if (values.json) console.log(JSON.stringify(reports.map(resultsOf), null, 2));
}
