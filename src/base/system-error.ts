/** Errors of the operating system, worded for the operator. */

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a file with this name exists already',
  EISDIR: 'it is a directory',
  ENAMETOOLONG: 'the name is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
}

/** The `code` of an error of Node, OpenSSL or the system; empty where it has none. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** `permission denied` for an error of node:fs; the message of any other. */
export function systemReason(error: unknown): string {
  return REASONS[errorCode(error)] ?? (error instanceof Error ? error.message : String(error))
}

/**
 * The error of several addresses of a host that explains most: an address family that this machine lacks says nothing about
 * the server.
 */
export function mostSpecificError(error: Error): Error {
  if (!(error instanceof AggregateError)) return error
  const errors: NodeJS.ErrnoException[] = error.errors
  return errors.find(({ code }) => code !== undefined && !NO_ROUTE.includes(code)) ?? errors[0] ?? error
}

const NO_ROUTE = ['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']
