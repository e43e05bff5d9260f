import { NextResponse } from 'next/server';

/** Looks at a copy of the body, as a proxy may: Next then gives the routes another copy in the place of its own. */
export async function proxy(request) {
  await request.arrayBuffer();
  return NextResponse.next();
}

export const config = { matcher: ['/api/proxied/:path*', '/proxied/:path*'] };
