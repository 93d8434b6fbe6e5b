/** The keys of the log on disk, and how a new one is given to the other nodes. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { openKeyRing } from '../../src/cluster/sealing/key-ring.ts'
import { membershipText, openNodeKey, readMembership, unwrapKey, wrapKey } from '../../src/cluster/sealing/key-wrap.ts'
import { DataDirError } from '../../src/store/db/data-dir.ts'
import { temporaryDirectory } from '../../scripts/tools/temporary-directory.ts'

const fileIn = (t: TestContext, name = 'cluster-keys'): string => join(temporaryDirectory(t), name)

describe('a key ring', () => {
  it('makes its first key, which only the owner may read, and keeps it', (t) => {
    const file = fileIn(t)
    const ring = openKeyRing(file)
    assert.equal(ring.newest, 1)
    assert.equal(ring.keyOf(1)?.length, 32)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(openKeyRing(file).keyOf(1), ring.keyOf(1))
  })

  it('takes the next epoch only', (t) => {
    const ring = openKeyRing(fileIn(t))
    ring.add({ epoch: 3, key: randomBytes(32), began: 9 })
    ring.add({ epoch: 1, key: randomBytes(32), began: 9 })
    assert.equal(ring.newest, 1)
    assert.equal(ring.beganAt(1), 0)
  })

  it('shares its file with a command beside the node: neither writes back an older state', (t) => {
    const file = fileIn(t)
    const [node, command] = [openKeyRing(file), openKeyRing(file)]
    const keys = [2, 3].map((epoch) => ({ epoch, key: randomBytes(32), began: epoch }))
    for (const one of keys) node.add(one)
    assert.deepEqual(command.keyOf(3), node.keyOf(3))
    assert.equal(command.newest, 3)
    node.destroyThrough(1)
    node.add({ epoch: 4, key: randomBytes(32), began: 4 })
    command.destroyThrough(2)
    assert.deepEqual([openKeyRing(file).destroyed, openKeyRing(file).newest], [2, 4])
  })

  it('destroys keys for ever, but never the newest', (t) => {
    const file = fileIn(t)
    const ring = openKeyRing(file)
    const first = Buffer.from(ring.keyOf(1) ?? '').toString('base64')
    ring.add({ epoch: 2, key: randomBytes(32), began: 9 })
    ring.destroyThrough(7)
    for (const one of [ring, openKeyRing(file)]) {
      assert.deepEqual([one.destroyed, one.newest, one.keyOf(1)], [1, 2, undefined])
      assert.ok(one.keyOf(2))
    }
    assert.equal(readFileSync(file, 'utf8').includes(first), false)
  })

  it('is refused where other users may read it, or it is damaged', (t) => {
    const file = fileIn(t)
    openKeyRing(file)
    chmodSync(file, 0o644)
    assert.throws(() => openKeyRing(file), /mode 0644 lets other users read it: run chmod 600/)
    chmodSync(file, 0o600)
    for (const text of [
      '',
      '{}',
      '{"format":2,"destroyed":0,"keys":[]}',
      '{"format":1,"destroyed":0,"keys":[]}',
      '{"format":1,"destroyed":0,"keys":[{"epoch":1,"began":0,"key":"AA=="}]}',
      `{"format":1,"destroyed":1,"keys":[{"epoch":1,"began":0,"key":"${randomBytes(32).toString('base64')}"}]}`,
      `{"format":1,"destroyed":0,"keys":[{"epoch":1,"began":-1,"key":"${randomBytes(32).toString('base64')}"}]}`,
    ]) {
      writeFileSync(file, text)
      assert.throws(() => openKeyRing(file), DataDirError, text)
    }
  })
})

describe('a wrapped key', () => {
  const [key, salt] = [randomBytes(32), randomBytes(32)]
  const wrapping = { site: 'site', node: 'a1', epoch: 2, salt }

  it('opens at its node, and nowhere else', (t) => {
    const [own, other] = [openNodeKey(fileIn(t)), openNodeKey(fileIn(t))]
    const wrapped = wrapKey(key, own.public, wrapping)
    assert.deepEqual(unwrapKey(wrapped, own, wrapping), key)
    assert.equal(unwrapKey(wrapped, other, wrapping), undefined)
    for (const wrong of [{ site: 'other' }, { node: 'a2' }, { epoch: 3 }, { salt: randomBytes(32) }]) {
      assert.equal(unwrapKey(wrapped, own, { ...wrapping, ...wrong }), undefined, JSON.stringify(wrong))
    }
  })

  it('cannot be made by an attacker who knows all that is in etcd', (t) => {
    const own = openNodeKey(fileIn(t))
    // He has the public key, and may choose the new key; he does not have the one before.
    assert.equal(unwrapKey(wrapKey(key, own.public, { ...wrapping, salt: Buffer.alloc(32) }), own, wrapping), undefined)
    // A point of small order makes a secret that everyone knows (RFC 7748 section 6.1).
    assert.equal(unwrapKey(Buffer.alloc(80), own, wrapping), undefined)
  })

  it('is not given to a node without a proof that it has the keys', (t) => {
    const keyOf = (epoch: number): Buffer | undefined => (epoch === 1 ? salt : undefined)
    const { public: publicKey } = openNodeKey(fileIn(t))
    const text = membershipText({ node: 'a1', epoch: 1, publicKey }, { site: 'site', key: salt })
    assert.deepEqual(readMembership(text, 'a1', 'site', keyOf), { node: 'a1', epoch: 1, publicKey })
    assert.equal(readMembership(text, 'a2', 'site', keyOf), undefined)
    assert.equal(readMembership(text, 'a1', 'other', keyOf), undefined)
    const attacker = String(generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }).x)
    assert.equal(readMembership(text.replace(publicKey, attacker), 'a1', 'site', keyOf), undefined)
    for (const bad of ['', 'x', `9 ${publicKey} ${publicKey}`, text.slice(0, -1)]) {
      assert.equal(readMembership(bad, 'a1', 'site', keyOf), undefined, bad)
    }
  })

  it('needs a key file that only the owner may read, which is made once', (t) => {
    const file = fileIn(t)
    assert.equal(openNodeKey(file).public, openNodeKey(file).public)
    writeFileSync(file, 'no key')
    assert.throws(() => openNodeKey(file), DataDirError)
  })
})
