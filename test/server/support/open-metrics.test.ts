import { expect, test } from 'vitest';
import { readOpenMetrics } from './open-metrics.js';

test('a reader of OpenMetrics takes what the specification shows', () => {
  const families = readOpenMetrics(
    [
      '# TYPE foo_seconds counter',
      '# UNIT foo_seconds seconds',
      '# HELP foo_seconds A "help" with \\\\ and \\n.'.replaceAll('"', '\\"'),
      'foo_seconds_total{path="/a b",quote="\\""} 17.0',
      '# TYPE bar info',
      'bar_info{version="1"} 1',
      '# TYPE baz histogram',
      'baz_bucket{a="b",le="0.5"} 1',
      'baz_bucket{a="b",le="+Inf"} 2',
      'baz_count{a="b"} 2',
      'baz_sum{a="b"} 3e-05',
      '# TYPE empty gauge',
      '# EOF',
      '',
    ].join('\n'),
  );
  expect(families.get('foo_seconds')).toMatchObject({ type: 'counter', unit: 'seconds' });
  expect(families.get('baz')?.samples.get('baz_sum{a="b"}')).toBe(0.00003);
});

test.each([
  ['no end', '# TYPE a gauge\na 1\n'],
  ['an empty line', '# TYPE a gauge\n\na 1\n# EOF\n'],
  ['a carriage return', '# TYPE a gauge\r\na 1\n# EOF\n'],
  ['a sample without a type', 'a 1\n# EOF\n'],
  ['a counter without its suffix', '# TYPE a counter\na 1\n# EOF\n'],
  ['a counter below zero', '# TYPE a counter\na_total -1\n# EOF\n'],
  ['a unit that the name lacks', '# TYPE a counter\n# UNIT a seconds\n# EOF\n'],
  ['names that clash', '# TYPE a counter\n# TYPE a_total gauge\n# EOF\n'],
  ['a metric twice', '# TYPE a gauge\n# TYPE b gauge\n# TYPE a gauge\n# EOF\n'],
  ['interleaved metrics', '# TYPE a gauge\na{b="1"} 1\n# TYPE c gauge\na{b="2"} 1\n# EOF\n'],
  ['metadata after samples', '# TYPE a gauge\na 1\n# HELP a Help.\n# EOF\n'],
  ['a sample twice', '# TYPE a gauge\na 1\na 1\n# EOF\n'],
  ['a label twice', '# TYPE a gauge\na{b="1",b="2"} 1\n# EOF\n'],
  ['a quote that is not escaped', '# TYPE a gauge\na{b="""} 1\n# EOF\n'],
  ['a value that is none', '# TYPE a gauge\na one\n# EOF\n'],
  [
    'buckets that fall',
    '# TYPE a histogram\na_bucket{le="1.0"} 2\na_bucket{le="+Inf"} 1\na_count{} 1\na_sum{} 1\n# EOF\n',
  ],
  ['buckets without the last', '# TYPE a histogram\na_bucket{le="1.0"} 2\n# EOF\n'],
])('and refuses %s', (_, text) => {
  expect(() => readOpenMetrics(text)).toThrow();
});
