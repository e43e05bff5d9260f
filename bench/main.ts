import { parseArgs } from 'node:util';
import type { Report } from './report/section.js';
import { tableOf } from './report/table.js';
import { resultsOf, writeReport } from './report/write.js';
import { measureImports } from './sections/imports.js';
import { measureSizes } from './sections/sizes.js';

const usage = `Measures the package beside others and compares with what it is to reach.

npm run bench -- [--only calls,webhooks,receivers,in-turn,stalled,contacts-import,imports,sizes] [--json]
npm run bench:short -- [--json]   sizes and imports of this package alone; installs nothing
`;

/** What can be measured, by its name; the first three need the other packages to be installed. */
const measurements: Readonly<Record<string, (withPeers: boolean) => Report | Promise<Report>>> = {
  calls: async () => (await import('./sections/calls.js')).measureCalls(),
  webhooks: async () => (await import('./sections/webhooks.js')).measureWebhooks(),
  receivers: async () => (await import('./sections/receivers.js')).measureReceivers(),
  'in-turn': async () => (await import('./sections/in-turn.js')).measureInTurn(),
  stalled: async () => (await import('./sections/stalled.js')).measureStalled(),
  'contacts-import': async () => (await import('./sections/contacts-import.js')).measureContactsImport(),
  imports: (withPeers) => measureImports({ withPeers }),
  sizes: (withPeers) => measureSizes({ withPeers }),
};

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});
const wanted = values.only?.split(',') ?? (values.short ? ['sizes', 'imports'] : Object.keys(measurements));
const unknown = wanted.filter((name) => !Object.hasOwn(measurements, name));

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) process.stderr.write(`Nothing is called ${unknown.join(' or ')}.\n\n`);
  process.stderr.write(usage);
  process.exitCode = values.help ? 0 : 2;
} else {
  const reports: Report[] = [];
  for (const name of wanted) {
    const report = await measurements[name]?.(!values.short);
    if (!report) continue;
    reports.push(report);
    if (!values.short) await writeReport(report);
    if (!values.json) console.log(tableOf(report));
  }
  if (values.json) console.log(JSON.stringify(reports.map(resultsOf), null, 2));
}
