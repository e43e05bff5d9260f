export default () => <p>Sent.</p>;
