/**
 * JSON merge patches (RFC 7396) of documents: members that are sent replace or extend those that are stored, null removes
 * one, and arrays are replaced as a whole.
 *
 * Two rules are added. Where a document embeds another, `{"id": "…"}` alone is a reference as in every body, and takes the
 * place of the whole copy: merged into it, it would give the copy of one document the id of another. And what
 * bodies may lack, which then stays as it is, is emptied by null.
 */
import { fail, type Failure } from '../../base/failure.ts'
import { isObject, surveyJson, writeJson, type Json, type JsonObject } from '../../base/json.ts'
import { BODY_TOKENS_MAX } from '../../http/body.ts'
import type { Field, Shape } from '../../models/schema.ts'
import { referenceKey } from './references.ts'

/** The result of a patch. The names in it must have been checked by storable.ts. */
export function mergePatch(shape: Shape | undefined, target: Json | undefined, patch: JsonObject): JsonObject {
  const merged: Record<string, Json> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    const field = memberOf(shape, name)
    if (value !== null) merged[name] = isObject(value) ? mergeMember(field, merged[name], value) : value
    // A body that lacks such a list or date leaves it as it is.
    else if (field?.kind === 'list' && field.absent === 'keep') merged[name] = []
    else if (field?.kind === 'optional') merged[name] = null
    else delete merged[name]
  }
  return merged
}

function mergeMember(field: Field | undefined, target: Json | undefined, patch: JsonObject): JsonObject {
  switch (field?.kind) {
    case 'nullable':
      return mergeMember(field.of, target, patch)
    case 'embedded':
      if (referenceKey(field.model, patch) !== undefined) return patch
      return mergePatch(field.model.fields, target, patch)
    case 'record':
      return mergePatch(field.fields, target, patch)
    case 'map':
      return mergePatch(Object.fromEntries(field.keys.map((key) => [key, field.of])), target, patch)
    default:
      return mergePatch(undefined, target, patch)
  }
}

function memberOf(shape: Shape | undefined, name: string): Field | undefined {
  return shape !== undefined && Object.hasOwn(shape, name) ? shape[name] : undefined
}

/**
 * Throws payloadTooLarge for a patched document that no body could have: many small patches must not make what one
 * request may not send. A stored document may be longer, by its references; such a one must not grow.
 */
export function requirePatchedSize(patched: JsonObject, stored: string, bytesMax: number): void {
  const text = writeJson(patched)
  // A code unit has at most three bytes, and at least one is between two tokens.
  if (text.length * 3 <= bytesMax && text.length <= BODY_TOKENS_MAX) return
  const [after, before] = [sizeOf(text), sizeOf(stored)]
  if (after.bytes > bytesMax && after.bytes > before.bytes) throw tooLarge(`${bytesMax} bytes`, after.bytes)
  if (after.tokens > BODY_TOKENS_MAX && after.tokens > before.tokens) {
    throw tooLarge(`${BODY_TOKENS_MAX} names and values`, after.tokens)
  }
}

function sizeOf(text: string): { readonly bytes: number; readonly tokens: number } {
  const { tokens } = surveyJson(text, { depthMax: Infinity, tokensMax: Infinity })
  return { bytes: Buffer.byteLength(text), tokens }
}

function tooLarge(wanted: string, found: number): Failure {
  return fail('payloadTooLarge', `Cannot patch the document: expected at most ${wanted} in the result, found ${found}`)
}
