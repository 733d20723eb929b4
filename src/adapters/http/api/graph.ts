import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { requireVisible } from '#adapters/http/auth/public-access.ts';
import { clientHas } from '#adapters/http/protocol/etag.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { isMember } from '#domain/access/decide-access.ts';
import { boxOf } from '#domain/graph/box.ts';
import type { Graph, GraphEdge, GraphNode } from '#domain/graph/graph.ts';
import type { EdgePaths, Layout } from '#domain/graph/layout.ts';
import { roundToTenth, type Point } from '#domain/graph/points.ts';
import type { PlacedGraph } from '#flows/views/show-pipeline.ts';
import { drawingProblem, GraphSwitches, shapeOf } from './images.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { answer, PipelineParams } from './schemas.ts';

const Names = Type.Array(Type.String());
/** The row of a compact node where an edge starts or ends. Absent: at the whole node. */
const Row = Type.Optional(Type.Integer());

const Node = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['job', 'resource']),
  /** For a job: its name. For a compact node, which stands for parallel jobs: their names. */
  jobs: Type.Optional(Names),
  /** For a resource: `<type>.<label>`. */
  resource: Type.Optional(Type.String()),
  role: Type.Optional(Type.Enum(['entry', 'passed', 'put'])),
  /** For the roles `passed` and `put`: the jobs that the versions come from. */
  after: Type.Optional(Names),
  /** The centre of the node, in points from the upper left corner of the graph. */
  x: Type.Number(),
  y: Type.Number(),
  width: Type.Number(),
  height: Type.Number(),
  /** One label, or one for each row of a compact node. */
  labels: Names,
});

const Edge = Type.Object({
  from: Type.String(),
  from_row: Row,
  to: Type.String(),
  to_row: Row,
  kind: Type.Enum(['trigger', 'take', 'make']),
  /** SVG path data of the line, and of the arrowhead at its end. */
  line: Type.String(),
  arrow: Type.String(),
});

const Placed = Type.Object({
  width: Type.Number(),
  height: Type.Number(),
  nodes: Type.Array(Node),
  edges: Type.Array(Edge),
});

/**
 * The route that returns the graph of a pipeline with its layout, but without states. `live` streams the
 * states.
 */
export function graphRoutes({ overviews }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/graph',
      needs: 'public',
      about:
        'The graph of the pipeline with the place of each node and the path of each edge, in points; it ' +
        'has names, but no states. Takes `hide_intermediates` and `group_parallel` as the SVG image does.',
      schema: {
        params: PipelineParams,
        querystring: Type.Object(GraphSwitches),
        response: answer(Placed.properties),
      },
      forPublic: 'same',
      handler: async (request, reply) => {
        const { params, identity, query } = request;
        const placedGraph = await overviews.placedGraph(
          params,
          isMember(identity, params.team),
          shapeOf(query),
        );
        const data = await answerGraph(requireVisible(request, placedGraph), request, reply);
        return data === undefined ? reply : { data };
      },
    }),
  ];
}

/** Returns the encoded graph, or undefined if it has sent a 304. */
async function answerGraph(
  placedGraph: PlacedGraph,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Static<typeof Placed> | undefined> {
  if (placedGraph.public) void reply.header('cache-control', 'no-cache');
  if (clientHas(request, reply, placedGraph.tag)) {
    void reply.code(304).send();
    return undefined;
  }
  const placed = await placedGraph.place();
  if ('graph' in placed) return encodeGraph(placed.graph, placed.layout);
  void reply.removeHeader('etag');
  throw drawingProblem(placed);
}

function encodeGraph({ nodes, edges }: Graph, layout: Layout): Static<typeof Placed> {
  const { width, height } = layout;
  return {
    width,
    height,
    nodes: nodes.flatMap((node, index) => encodeNode(node, layout.nodes[index])),
    edges: edges.flatMap((edge, index) => encodeEdge(edge, layout.edges[index])),
  };
}

function encodeNode(node: GraphNode, centre: Point | undefined): Static<typeof Node>[] {
  if (centre === undefined) return [];
  const { width, height, labels } = boxOf(node);
  const position = { x: roundToTenth(centre.x), y: roundToTenth(centre.y), width, height, labels };
  return [{ ...node, ...position }];
}

function encodeEdge(
  { from, fromRow, to, toRow, kind }: GraphEdge,
  paths: EdgePaths | undefined,
): Static<typeof Edge>[] {
  if (paths === undefined) return [];
  return [{ from, ...defined({ from_row: fromRow }), to, ...defined({ to_row: toRow }), kind, ...paths }];
}
