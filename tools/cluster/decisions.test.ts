import { describe, expect, test } from '@jest/globals';
import { isExisting, isRecent } from './existing.ts';
import { handlesIn } from './firewall.ts';
import { mayLowerScores, upstreamServers } from './node-config.ts';
import { corefile } from './objects.ts';
import { differences } from './snapshot.ts';

describe('the name servers for Pods', () => {
  test.each([
    [
      'are those of the machine',
      ['nameserver 192.0.2.53\nnameserver 192.0.2.54\n'],
      ['192.0.2.53', '192.0.2.54'],
    ],
    [
      'are the upstream servers of a loopback stub',
      ['nameserver 127.0.0.53\n', 'nameserver 192.0.2.53\n'],
      ['192.0.2.53'],
    ],
    ['exclude loopback addresses', ['nameserver ::1\n nameserver 192.0.2.53\n'], ['192.0.2.53']],
    ['exclude comments', ['# nameserver 192.0.2.1\nsearch a.test\nnameserver 192.0.2.53'], ['192.0.2.53']],
    [
      'are at most three',
      ['nameserver 192.0.2.1\nnameserver 192.0.2.2\nnameserver 192.0.2.3\nnameserver 192.0.2.4'],
      ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
    ],
    ['are empty without an entry', ['nameserver 127.0.0.1\n', ''], []],
  ])('%s', (_, resolvers, servers) => {
    expect(upstreamServers(resolvers)).toEqual(servers);
  });

  test('get the queries of the DNS server', () => {
    expect(corefile(['192.0.2.53', '192.0.2.54'])).toContain('    forward . 192.0.2.53 192.0.2.54 {\n');
  });

  test('get no queries if there are none', () => {
    expect(corefile([])).not.toContain('forward');
  });
});

describe('lowering out-of-memory scores', () => {
  test.each([
    ['is allowed for a process with every capability', 'Name:\tx\nCapEff:\t000001ffffffffff\n', true],
    ['is refused without CAP_SYS_RESOURCE', 'CapEff:\t000001fffeffffff\n', false],
    ['is refused without any capability', 'CapEff:\t0000000000000000\n', false],
    ['is refused if the capabilities are unknown', '', false],
  ])('%s', (_, status, allowed) => {
    expect(mayLowerScores(status)).toBe(allowed);
  });
});

describe('an existing cluster', () => {
  test.each([
    ['v1.33.0', true],
    ['v1.36.3', true],
    ['v1.33.5-gke.1', true],
    ['v2.0.0', true],
    ['v1.32.9', false],
    ['v1.9.0', false],
    ['unknown', false],
  ])('that runs %s is recent enough: %p', (version, recent) => {
    expect(isRecent(version)).toBe(recent);
  });

  test.each([
    [undefined, false],
    ['', false],
    ['embedded', false],
    ['existing', true],
  ])('is used when CLUSTER is %p', (choice, existing) => {
    expect(isExisting(choice === undefined ? {} : { CLUSTER: choice })).toBe(existing);
  });

  test('is refused if CLUSTER is misspelled', () => {
    expect(() => isExisting({ CLUSTER: 'exsting' })).toThrow(/CLUSTER is "exsting"/);
  });
});

describe('our firewall rules', () => {
  test('are recognized by their comment', () => {
    const listing = `chain FORWARD { # handle 1
      iifname "millrace0" counter packets 1 bytes 2 accept comment "millrace-cluster" # handle 7
      iifname "docker0" accept # handle 8
      oifname "millrace0" accept comment "someone else's" # handle 9
    }`;
    expect(handlesIn(listing)).toEqual(['7']);
  });
});

describe('two snapshots of the machine', () => {
  test('differ by what was added and removed', () => {
    expect(differences(['kept', 'went'], ['kept', 'came'])).toEqual(['- went', '+ came']);
  });

  test('are equal if nothing changed', () => {
    expect(differences(['kept'], ['kept'])).toEqual([]);
  });
});
