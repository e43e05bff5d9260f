import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, loadavg } from 'node:os';
import { chartOf } from './chart.js';
import { isMet, type Report } from './section.js';

const folder = new URL('../results/', import.meta.url);

/** The figures with the machine they were taken on, ready to be serialised. */
export function resultsOf({ id, method, sections }: Report): object {
  const [processor] = cpus();
  return {
    id,
    method,
    takenAt: new Date().toISOString(),
    machine: {
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processor: processor?.model ?? 'unknown',
      cores: cpus().length,
      /** Processes that wanted a core in the last minute, this benchmark's among them. */
      load: loadavg()[0],
    },
    sections: sections.map((section) => ({
      ...section,
      rows: section.rows.map((row) => ({ ...row, met: isMet(section, row) })),
    })),
  };
}

/** Writes `results/<id>.json` and `results/<id>.svg`. */
export async function writeReport(report: Report): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${report.id}.json`, folder), `${JSON.stringify(resultsOf(report), null, 2)}\n`);
  await writeFile(new URL(`${report.id}.svg`, folder), chartOf(report));
}
