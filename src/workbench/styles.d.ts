/** A style sheet that a component brings with it. The build puts all of them into one file. */
declare module '*.css';
