export function WorkspaceView() { return null; }
