/**
 * Removes the variables that change how Node works from the environment of the executable.
 *
 * Some act before the first line of the program: NODE_EXTRA_CA_CERTS is trusted, NODE_V8_COVERAGE writes files,
 * OPENSSL_CONF loads libraries. So the process replaces itself by one without them, which keeps its id and its streams.
 * Before that, NODE_DEBUG and NODE_DEBUG_NATIVE may print a few lines, NODE_COMPILE_CACHE makes an empty directory, and
 * an OPENSSL_CONF that cannot be used or NODE_REPL_EXTERNAL_MODULE ends the process. Windows cannot replace a process,
 * and one with sockets of systemd would lose them: there NODE_DEBUG, NODE_V8_COVERAGE, NODE_EXTRA_CA_CERTS and
 * OPENSSL_CONF work. This guards against accidents: a user who sets the environment could start another program.
 */
import { isSea } from 'node:sea'

/** Variables that change how Node or a library inside it works. */
const OF_NODE = /^(?:NODE_|OPENSSL_|SSL_CERT_(?:FILE|DIR)$)/i

/** Its absence would only show as mail that is not sent. Node itself warns before this where the file is missing. */
const EXTRA_CERTIFICATES = 'NODE_EXTRA_CA_CERTS'
const WITHOUT_EFFECT = `${EXTRA_CERTIFICATES} has no effect on this program: name a file of certificates with --mail-ca, or --cluster-ca for etcd\n`

/** Removes the variables from `environment`, and replaces the process. Node ignores NODE_OPTIONS in the executable. */
export function leaveNodeVariables(environment: NodeJS.ProcessEnv): void {
  if (!isSea()) return
  const names = Object.keys(environment).filter((name) => OF_NODE.test(name))
  if (environment[EXTRA_CERTIFICATES] !== undefined) process.stderr.write(WITHOUT_EFFECT)
  for (const name of names) delete environment[name]
  if (names.every((name) => name === 'NODE_OPTIONS') || process.platform === 'win32') return
  // It would close a socket that systemd passes.
  if (environment['LISTEN_FDS'] !== undefined) return
  try {
    process.execve?.(process.execPath, process.argv.slice(1), environment)
  } catch {
    // Where a process may not do that, as in a strict sandbox, it goes on as on Windows.
  }
}
