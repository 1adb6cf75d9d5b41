/** The blocks that no test runs, by their first line, with the reason. */
export const untestedBlocks: Readonly<Record<string, string>> = {
  'npm start        # installs the packages, then serves http://127.0.0.1:8080':
    'installs packages and builds the executable that runs the other blocks',
  'install -m 0755 dist/fieldstone /usr/local/bin/':
    'writes to /usr/local and /etc and needs systemd; test/scripts/deploy.test.ts has systemd read the unit',
  'docker build --file scripts/deploy/Dockerfile --tag fieldstone dist':
    'needs Docker and the network; test/scripts/deploy.test.ts reads the file',
}
