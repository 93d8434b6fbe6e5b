/**
 * A verifier of DKIM signatures (RFC 6376 section 6, RFC 8463), written from the RFCs without code of the signer. It
 * supports what we send: relaxed canonicalization, one public key, no `l=`, no `x=`.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto'

interface Field {
  readonly name: string
  readonly whole: string
}

/** `pass`, or what is wrong. `keys` are the `p=` tags of the DNS records, by selector. */
export function verifyDkim(message: string, keys: Readonly<Record<string, string>>, at = 0): string {
  const gap = message.indexOf('\r\n\r\n')
  const fields = fieldsOf(message.slice(0, gap))
  const signature = fields.filter(({ name }) => name === 'dkim-signature')[at]
  if (signature === undefined) return 'there is no signature'
  const tags = tagsOf(signature.whole.slice(signature.whole.indexOf(':') + 1))
  if (tags.get('v') !== '1' || tags.get('c') !== 'relaxed/relaxed') return 'the signature is of another kind'
  const bodyHash = createHash('sha256')
    .update(canonicalBody(message.slice(gap + 4)))
    .digest('base64')
  if (bodyHash !== compact(tags.get('bh'))) return 'the body was changed'

  const hashed: string[] = []
  const unused = [...fields]
  const names = compact(tags.get('h')).toLowerCase().split(':')
  if (!names.includes('from')) return 'From is not signed'
  for (const name of names) {
    for (let i = unused.length - 1; i >= 0; i--) {
      if (unused[i]?.name !== name) continue
      hashed.push(`${canonicalField(unused[i]?.whole ?? '')}\r\n`)
      unused.splice(i, 1)
      break
    }
  }
  // 3.5: the signature field itself, with nothing after b=, and without a line end.
  hashed.push(canonicalField(signature.whole.replace(/([;:\s]b\s*=)[^;]*/, '$1')))
  const data = Buffer.from(hashed.join(''))
  const given = Buffer.from(compact(tags.get('b')), 'base64')
  const key = Buffer.from(keys[tags.get('s') ?? ''] ?? '', 'base64')
  switch (tags.get('a')) {
    case 'rsa-sha256':
      return verify('sha256', data, createPublicKey({ key, format: 'der', type: 'spki' }), given)
        ? 'pass'
        : 'a header was changed'
    case 'ed25519-sha256':
      return verify(null, createHash('sha256').update(data).digest(), rawEd25519(key), given)
        ? 'pass'
        : 'a header was changed'
    default:
      return 'the algorithm is unknown'
  }
}

function fieldsOf(head: string): Field[] {
  const fields: string[] = []
  for (const line of head.split('\r\n')) {
    if (/^[ \t]/.test(line)) fields.push(`${fields.pop() ?? ''}\r\n${line}`)
    else fields.push(line)
  }
  return fields.map((whole) => ({ name: (/^[^:\s]*/.exec(whole)?.[0] ?? '').toLowerCase(), whole }))
}

function tagsOf(list: string): Map<string, string> {
  return new Map(
    list.split(';').map((tag) => {
      const [, name = '', value = ''] = /^\s*([a-z]*)\s*=\s*(.*?)\s*$/s.exec(tag) ?? []
      return [name, value]
    }),
  )
}

const compact = (text = ''): string => text.replace(/\s/g, '')

function canonicalField(whole: string): string {
  const unfolded = whole.replaceAll('\r\n', '')
  const [, name = '', value = ''] = /^(.*?)[ \t]*:[ \t]*(.*)$/s.exec(unfolded) ?? []
  return `${name.toLowerCase()}:${value.replace(/[ \t]+$/, '').replace(/[ \t]{1,}/g, ' ')}`
}

function canonicalBody(body: string): string {
  const text = body
    .replace(/[ \t]+(?=\r\n|$)/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/(?:\r\n)+$/, '')
  return text === '' ? '' : `${text}\r\n`
}

/** RFC 8463 section 4: `p=` is the key's 32 bytes; node wants the wrapping of RFC 8410. */
function rawEd25519(raw: Buffer): KeyObject {
  const wrapped = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  return createPublicKey({ key: wrapped, format: 'der', type: 'spki' })
}
