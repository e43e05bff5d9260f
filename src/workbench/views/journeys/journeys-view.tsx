export function JourneysView() { return null; }
