export default () => <p>Log in.</p>;
