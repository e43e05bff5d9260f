export type { Clock } from '../foundation/clock.js';
export { checkConformance } from './check-conformance.js';
export { type DedupeStoreCheck, dedupeStoreChecks } from './dedupe/dedupe-store-checks.js';
export type { DedupeStoreUnderTest } from './dedupe/store-probe.js';
export type { ConformanceDeliveries, ConformanceOptions, ConformanceSend } from './options.js';
export type { ConformanceCheck, ConformanceReport, ConformanceVerdict } from './report.js';
