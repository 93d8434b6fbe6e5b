/** Passkeys in this browser (WebAuthn level 3). */

/** Whether this page may have them: at an address with a name, over https or on this machine. */
export function hasPasskeys(): boolean {
  const isNamed = !/^[\d.]+$|^\[/.test(location.hostname)
  return isNamed && isSecureContext && typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function'
}

/** Whether the reader, or the authenticator, did not go through with it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof DOMException && error.name !== 'AbortError'
}
