/**
 * Removes the variables that change how Node works from the environment of the executable.
 *
 * Some of them act before the first line of the program: NODE_EXTRA_CA_CERTS is trusted, NODE_V8_COVERAGE writes files,
 * OPENSSL_CONF loads libraries. So a process that was given one replaces itself by one without it, which keeps its id and
 * its streams and costs one start of Node. NODE_OPTIONS alone is ignored by Node itself, as the executable is built to.
 *
 * Before that, NODE_DEBUG and NODE_DEBUG_NATIVE may print a few lines and NODE_EXTRA_CA_CERTS that it cannot be read,
 * NODE_COMPILE_CACHE makes an empty directory, and an OPENSSL_CONF that cannot be used or NODE_REPL_EXTERNAL_MODULE
 * ends the process. Windows cannot replace a process, and one with sockets of systemd would lose them: there only the
 * variables that are read later have no effect, NODE_TLS_REJECT_UNAUTHORIZED among them, while NODE_DEBUG,
 * NODE_V8_COVERAGE, NODE_EXTRA_CA_CERTS and OPENSSL_CONF work. This guards against accidents: a user who sets the
 * environment of a process could as well start another program.
 */
import { isSea } from 'node:sea'

/** Variables that change how Node or a library inside it works. */
const OF_NODE = /^(?:NODE_|OPENSSL_|SSL_CERT_(?:FILE|DIR)$)/i
/** Node ignores it in this executable, so that it needs no replacement. */
const HARMLESS = new Set(['NODE_OPTIONS'])

/**
 * In the executable, removes the variables of Node from `environment`, and replaces the process where that is needed.
 */
export function leaveNodeVariables(environment: NodeJS.ProcessEnv): void {
  if (!isSea()) return
  const names = Object.keys(environment).filter((name) => OF_NODE.test(name))
  for (const name of names) delete environment[name]
  if (names.every((name) => HARMLESS.has(name)) || process.platform === 'win32') return
  // It would close a socket that systemd passes.
  if (environment['LISTEN_FDS'] !== undefined) return
  try {
    process.execve?.(process.execPath, process.argv.slice(1), environment)
  } catch {
    // Where a process may not do that, as in a strict sandbox, it goes on as on Windows.
  }
}
