import { describeTarget, formatValue, isMet, type Report, type Row, type Section } from './section.js';

const width = 760;
const margin = 24;
const labels = 256;
const values = 72;
/** Room next to the bars for the figures behind the values, where they are shown: per character, and at most. */
const figureCharacter = 8;
const longestFigure = 28;
const rowHeight = 26;
const headingHeight = 52;
const gap = 20;

/** Follows the reader's colour scheme. */
const style = `
  .card { fill: #ffffff; stroke: #d8dee4 }
  text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #57606a }
  .title { font-size: 15px; font-weight: 600; fill: #1f2328 }
  .ours { font-weight: 600; fill: #1f2328 }
  .value { text-anchor: end; font-variant-numeric: tabular-nums }
  .bar { fill: #c9d1d9 }
  .bar.ours { fill: #2f6feb }
  .target { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 4 3 }
  @media (prefers-color-scheme: dark) {
    .card { fill: #1e1e1e; stroke: #30363d }
    text { fill: #9198a1 }
    .title, .ours { fill: #f0f6fc }
    .bar { fill: #6e7681 }
    .bar.ours { fill: #4f8cff }
    .target { stroke: #f0f6fc }
  }
`;

/** The report as bars; the dashed mark on a bar of ours is its target. */
export function chartOf({ sections }: Report): string {
  let top = margin;
  const panels = sections.map((section) => {
    const panel = panelOf(section, top);
    top += heightOf(section) + gap;
    return panel;
  });
  const height = top - gap + margin;
  const description = sections.map(({ title }) => title).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(description)}">
<style>${style}</style>
<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${panels.join('\n')}
</svg>
`;
}

function heightOf({ rows }: Section): number {
  return headingHeight + rows.length * rowHeight;
}

function panelOf(section: Section, top: number): string {
  const longest = Math.max(...section.rows.map(({ value, target = 0 }) => Math.max(value, target)));
  const room = Math.max(...section.rows.map(roomOf));
  const toWidth = (value: number) =>
    (Math.max(value, 0) / longest) * (width - 2 * margin - labels - values - room);
  const rows = section.rows.map((row, index) =>
    barOf(section, row, top + headingHeight + index * rowHeight, toWidth),
  );
  return `<text class="title" x="${margin}" y="${top + 16}">${escaped(section.title)}</text>
<text x="${margin}" y="${top + 36}">${escaped(captionOf(section))}</text>
${rows.join('\n')}`;
}

/** Figures that are too long are only in the title of the bar, which a browser shows under the pointer. */
function isShown({ shown, measured }: Row): boolean {
  return shown === true && measured.length <= longestFigure;
}

function roomOf(row: Row): number {
  return isShown(row) ? row.measured.length * figureCharacter : 0;
}

function captionOf({ unit, better, rows }: Section): string {
  const mark = rows.some(({ target }) => target !== undefined) ? '; the dashed mark is the target' : '';
  return `${unit}; ${better} is better${mark}`;
}

function barOf(section: Section, row: Row, top: number, toWidth: (value: number) => number): string {
  const start = margin + labels;
  const own = row.ours ? ' ours' : '';
  const met = isMet(section, row);
  const told = met === undefined ? '' : `; target ${describeTarget(section, row)}: ${met ? 'met' : 'missed'}`;
  const mark = row.target === undefined ? undefined : start + toWidth(row.target);
  return `<g><title>${escaped(`${row.name}: ${row.measured}${told}`)}</title>
<text class="label${own}" x="${margin}" y="${top + 14}">${escaped(row.name)}</text>
<rect class="bar${own}" x="${start}" y="${top + 2}" width="${Math.max(toWidth(row.value), 1).toFixed(1)}" height="16" rx="3"/>
${mark === undefined ? '' : `<line class="target" x1="${mark.toFixed(1)}" x2="${mark.toFixed(1)}" y1="${top - 2}" y2="${top + 22}"/>`}
${isShown(row) ? `<text class="value" x="${width - margin - values}" y="${top + 14}">${escaped(row.measured)}</text>` : ''}
<text class="value${own}" x="${width - margin}" y="${top + 14}">${formatValue(row.value)}</text></g>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
