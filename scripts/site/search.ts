import { type Application, IndexEvent, type Reflection, ReflectionKind } from 'typedoc';
import { pathOfDocument } from './documents.js';

/** How much a page counts in a search, by the beginning of its file: a reader who searches for a task wants its guide. */
const boosts: readonly (readonly [string, number])[] = [
  ['docs/guides/', 150],
  ['docs/decisions/', 2],
  ['examples/', 1],
  ['THIRD_PARTY_NOTICES.md', 0],
  ['', 5],
];

const boostOfSymbols = 3;
const boostOfMembers = 0.5;

/** Leaves inherited members out of the search, and ranks guides before symbols, and symbols before their members. */
export function rankSearchResults(application: Application): void {
  application.renderer.on(IndexEvent.PREPARE_INDEX, (index) => {
    index.searchResults = index.searchResults.filter((result) => !result.flags.isInherited);
    for (const result of index.searchResults) result.relevanceBoost = boostOf(result);
  });
}

function boostOf(result: Reflection): number {
  if (!result.isDocument())
    return result.parent?.kindOf(ReflectionKind.Module) ? boostOfSymbols : boostOfMembers;
  const path = pathOfDocument(result);
  return boosts.find(([beginning]) => path.startsWith(beginning))?.[1] ?? 1;
}
