/** What JSX becomes in the built page. The build adds it to each file. */
export { Fragment, h } from 'preact';
