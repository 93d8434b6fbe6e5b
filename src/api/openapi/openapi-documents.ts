/** The schemas of documents of any model, for responses whose model the parameter `model` decides. */
import type { JsonSchemas } from '../../base/json-schema.ts'
import { MODELS } from '../../models/registry.ts'
import type { Model } from '../../models/schema.ts'
import { refTo, schemaName } from './openapi-schema.ts'

const TYPED = MODELS.filter(({ fields }: Model) => fields['type']?.kind === 'constant')
const OTHERS = MODELS.filter((model) => !TYPED.includes(model))

export const DOCUMENT_SCHEMAS: JsonSchemas = {
  TypedDocument: {
    description: 'A document of a model whose documents name it in `type`',
    oneOf: TYPED.map((model) => refTo(schemaName(model))),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(TYPED.map((model) => [model.name, refTo(schemaName(model))['$ref']])),
    },
  },
  Document: {
    description: 'A document of the model that the parameter `model` names',
    anyOf: [refTo('TypedDocument'), ...OTHERS.map((model) => refTo(schemaName(model)))],
  },
  PartialDocument: {
    type: 'object',
    description:
      'A document without some of its members: those that `fields` leaves out, or that an incomplete draft lacks. A token ' +
      'that may write the model and not read it gets `id` alone',
    properties: { id: { type: 'string' } },
    required: ['id'],
    additionalProperties: true,
  },
  DocumentOrPart: { anyOf: [refTo('Document'), refTo('PartialDocument')] },
}
