/**
 * Run by mmdebstrap on a root file system of unpacked packages. Removes what containers do not need, and
 * creates what the packages' scripts would have created. The scripts never run, because they cannot run for
 * another architecture.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { argv } from 'node:process';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';

/** The part of an image's recipe that this program reads. */
const Recipe = Type.Object({
  user: Type.Object({ name: Type.String(), id: Type.Integer(), home: Type.String(), shell: Type.String() }),
  removedPaths: Type.Array(Type.String()),
});
type Recipe = Static<typeof Recipe>;

/** Not needed in any image. Licences (copyright files) stay. */
const unneeded = [
  'boot',
  '{run,tmp}/*',
  '{,usr/}lib{32,x32}',
  'etc/bash_completion.d',
  'usr/share/{debianutils,gcc,libc-bin,perl5,zsh}',
  'etc/{apt,dpkg,fstab,hostname,hosts,init.d,logrotate.d,motd,pam.d,resolv.conf,rmt,skel,systemd,ufw}',
  'etc/{cron.*,default,issue*,update-motd.d}',
  'lib/{init,systemd}',
  'usr/{games,include,lib/systemd,lib/tmpfiles.d,local/man,src}',
  'usr/lib/*/gconv',
  'usr/lib/*/{libthread_db.so.1,libpcprofile.so,libmemusage.so}',
  'usr/share/{applications,apport,apt,base-files,bash-completion,bug,dict,doc-base,gdb,gitk,gitweb}',
  'usr/share/{info,initramfs-tools,lintian,locale,man,menu,misc,pam-configs,pixmaps,vim}',
  'usr/share/doc/*/!(copyright)',
  'usr/share/git-core/templates/hooks/*',
  'var/{cache,backups,local,mail,opt,spool}/*',
  'var/lib/{apt,pam,misc}',
  'var/lib/dpkg/!(status.d)',
  'var/log/*',
];

function readRecipe(path: string): Recipe {
  return Value.Parse(Recipe, JSON.parse(readFileSync(path, 'utf8')));
}

function finish(root: string, recipe: Recipe): void {
  recordPackages(root);
  removeAll(root, [...unneeded, ...recipe.removedPaths.map((path) => path.slice(1))]);
  if (!lstatSync(join(root, 'var/run')).isSymbolicLink()) {
    rmSync(join(root, 'var/run'), { recursive: true });
    symlinkSync('/run', join(root, 'var/run'));
  }
  writeAccounts(root, recipe.user);
  writeCertificates(root);
  for (const path of ['tmp', 'var/tmp']) {
    mkdirSync(join(root, path), { recursive: true });
    chmodSync(join(root, path), 0o1777);
  }
  removePrivileges(root);
}

/** Removes the setuid and setgid bits of all files. */
function removePrivileges(root: string): void {
  const actions = '( -perm /6000 ) -not -type l -exec chmod ug-s {} +';
  execFileSync('find', [root, '-xdev', ...actions.split(' ')]);
}

/** Writes the control record of each package's archive to where vulnerability scanners look for it. */
function recordPackages(root: string): void {
  const folder = join(root, 'var/lib/dpkg/status.d');
  mkdirSync(folder, { recursive: true });
  const archives = globSync('var/cache/apt/archives/*.deb', { cwd: root });
  if (archives.length === 0) throw new Error('mmdebstrap left no packages to record');
  for (const archive of archives) {
    const record = execFileSync('dpkg-deb', ['--field', join(root, archive)], { encoding: 'utf8' });
    const name = basename(archive).split('_')[0] ?? '';
    writeFileSync(join(folder, name), record);
  }
}

function removeAll(root: string, patterns: readonly string[]): void {
  for (const pattern of patterns) {
    for (const path of globSync(pattern, { cwd: root }))
      rmSync(join(root, path), { recursive: true, force: true });
  }
}

function link(path: string, target: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  symlinkSync(target, path);
}

function writeAccounts(root: string, user: Recipe['user']): void {
  const etc = join(root, 'etc');
  mkdirSync(etc, { recursive: true });
  const passwd = [
    'root:x:0:0:root:/root:/bin/sh',
    `${user.name}:x:${user.id}:${user.id}:${user.name}:${user.home}:${user.shell}`,
    'nobody:x:65534:65534:nobody:/nonexistent:/bin/false',
  ];
  const group = ['root:x:0:', `${user.name}:x:${user.id}:`, 'nogroup:x:65534:'];
  writeFileSync(join(etc, 'passwd'), `${passwd.join('\n')}\n`);
  writeFileSync(join(etc, 'group'), `${group.join('\n')}\n`);
  const services = [
    'passwd: files',
    'group: files',
    'hosts: files dns',
    'services: files',
    'protocols: files',
  ];
  writeFileSync(join(etc, 'nsswitch.conf'), `${services.join('\n')}\n`);
}

/** Writes the bundle that update-ca-certificates would create, with links where OpenSSL looks by default. */
function writeCertificates(root: string): void {
  const source = join(root, 'usr/share/ca-certificates');
  if (!existsSync(source)) return;
  const files = globSync('**/*.crt', { cwd: source }).toSorted();
  const bundle = files.map((file) => `${readFileSync(join(source, file), 'utf8').trimEnd()}\n`).join('');
  mkdirSync(join(root, 'etc/ssl/certs'), { recursive: true });
  writeFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), bundle);
  link(join(root, 'usr/lib/ssl/cert.pem'), '/etc/ssl/certs/ca-certificates.crt');
  link(join(root, 'usr/lib/ssl/certs'), '/etc/ssl/certs');
}

const [, , recipePath, rootPath] = argv;
if (recipePath === undefined || rootPath === undefined) throw new Error('usage: finish-root.ts RECIPE ROOT');
finish(rootPath, readRecipe(recipePath));
